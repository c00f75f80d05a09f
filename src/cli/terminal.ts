import type { Readable, Writable } from 'node:stream';

/** Input, output and environment of a command; tests provide their own. */
export interface CommandTerminal {
  out(text: string): void;
  /** Prints notes apart from the result. */
  err(text: string): void;
  /** Resolves when the reader has room again. */
  outBytes(piece: Uint8Array): Promise<void>;
  /** All of standard input. */
  readIn(): Promise<string>;
  /** The streams themselves, for a command that speaks a protocol or asks a person. */
  readonly streams: { readonly input: Readable; readonly output: Writable };
  /** A person types at it. */
  readonly inIsTerminal: boolean;
  /** Standard error is a terminal. Absent = it is not. */
  readonly errIsTerminal?: boolean;
  /** Width in characters, where it has one. */
  readonly columns?: number | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Returns the time zone of the person at the terminal: that of TZ, else of the machine. */
export function userTimeZone({ env }: Pick<CommandTerminal, 'env'>): string {
  const machineZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;
  try {
    return env['TZ']
      ? new Intl.DateTimeFormat('en', { timeZone: env['TZ'] }).resolvedOptions().timeZone
      : machineZone();
  } catch {
    // The C library also knows forms such as `CET-1CEST`; the runtime has then chosen a zone of its own.
    return machineZone();
  }
}
