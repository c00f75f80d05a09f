/** Where a command reads and writes; tests bring their own. */
export interface Terminal {
  out(text: string): void;
  /** For notes beside the result. */
  err(text: string): void;
  /** Resolves when the reader has room again. */
  outBytes(piece: Uint8Array): Promise<void>;
  /** All of standard input. */
  readIn(): Promise<string>;
  /** A person types at it. */
  readonly inIsTerminal: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}
