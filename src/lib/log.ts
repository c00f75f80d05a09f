import { pino } from 'pino';
import type { DestinationStream, Logger } from 'pino';
import { hideSecrets } from './crypto/hide-secrets.ts';

/** What the code may do with the log: `log.info({ fields }, 'sentence')`. */
export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;

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
