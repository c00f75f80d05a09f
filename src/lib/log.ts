import { pino } from 'pino';
import type { DestinationStream, Logger } from 'pino';

/** What the code may do with the log: `log.info({ fields }, 'sentence')`. */
export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;

const HIDDEN = '[hidden]';

/** Each rule keeps its first group and hides the rest. They run on the finished line, so nothing can go round them. */
const RULES: readonly RegExp[] = [
  /((?:\\?"|\b)(?:authorization|proxy-authorization|x-api-key|x-goog-api-key|api-key|cookie|set-cookie)\\?"?\s*[:=]\s*)(?:\[[^\]]*\]|\\?"(?:[^"\\]|\\[^"])*\\?"|[^\s",}]+(?: [^\s",}]+)?)/gi,
  /([?&](?:key|api_key|token|secret)=)[^&#\s"'\\]+/gi,
  /(\b(?:Bearer|Basic)\s+)[^\s"',\\}]+/gi,
  /(\bsvc_sk_)[A-Za-z0-9_-]+/g,
  /(\bwhsec_)[A-Za-z0-9+/=_-]+/g,
  // The shapes of provider keys seen in the wild: sk-…, AIza…, gsk_…, xai-…
  /(\b(?:sk|gsk|xai|pplx|tgp|hf|AIza)[-_]?)[A-Za-z0-9_-]{16,}/g,
];

/** The same text without secrets: header values, `?key=`, `svc_sk_…` and everything shaped like a provider's key. */
export function hideSecrets(text: string): string {
  return RULES.reduce((result, rule) => result.replace(rule, `$1${HIDDEN}`), text);
}

export interface LogOptions {
  /** One of pino's levels, or `silent`. */
  readonly level: string;
  /** Where lines go. Default: standard output. */
  readonly destination?: DestinationStream;
}

/** One JSON object per line; secrets are hidden in the finished line, whichever field or message they came in. */
export function createLog(options: LogOptions): Log {
  const settings = { level: options.level, base: null, hooks: { streamWrite: hideSecrets } };
  return options.destination ? pino(settings, options.destination) : pino(settings);
}

/** For tests and places where nothing should be told. */
export const silentLog: Log = pino({ level: 'silent' });
