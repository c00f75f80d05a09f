import { pino } from 'pino';
import type { DestinationStream, Logger } from 'pino';
import { hideSecrets } from './crypto/hide-secrets.ts';

/** Log methods: `log.info({ fields }, 'sentence')`. */
export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;

export interface LogOptions {
  /** One of pino's levels, or `silent`. */
  readonly level: string;
  /** Target of log lines. Default: standard output. */
  readonly destination?: DestinationStream;
}

/** One JSON object per line; secrets are hidden in the finished line, whichever field or message they came in. */
export function createLog(options: LogOptions): Log {
  const settings = { level: options.level, base: null, hooks: { streamWrite: hideSecrets } };
  return options.destination ? pino(settings, options.destination) : pino(settings);
}

/** Logs nothing, for tests. */
export const silentLog: Log = pino({ level: 'silent' });
