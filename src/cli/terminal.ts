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
