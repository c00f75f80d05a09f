import type { LocalCall, LocalSource } from '../../domain/sessions/local-call.ts';

/** Where to look: read from the environment once, and passed on. */
export interface HostEnvironment {
  readonly home: string;
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A file that may hold usage. */
export interface SessionFile {
  readonly path: string;
  /** As the file's name or folder tells it. */
  readonly sessionId: string;
  /** Bytes. */
  readonly size: number;
  /** Epoch ms, with fractions. */
  readonly modifiedAt: number;
  /** Device and inode: another file under the same name has another one. */
  readonly inode: string;
  /** Its bytes are a zstd stream: it is read whole each time it changes, and never on from where it ended. */
  readonly compressed?: 'zstd';
}

/** What is kept of a file between runs: JSON, no prompt, no answer. */
export interface ParsedFile<Facts> {
  readonly file: SessionFile;
  readonly facts: Facts;
}

/**
 * One coding assistant's session files. Finding, reading and putting together are apart: facts of one file depend on
 * that file alone and can be kept, what they come to together never depends on the order of the files.
 */
export interface SessionSource<Facts> {
  readonly name: LocalSource;
  /**
   * Goes up whenever facts change their shape or meaning, or what they come to together: what is kept of another version
   * is read anew.
   */
  readonly version: number;
  /** Every folder that is looked into, whether it exists or not. */
  folders(places: HostEnvironment): readonly string[];
  find(places: HostEnvironment): Promise<readonly SessionFile[]>;
  /** Loads the rest, which a run does without that finds nothing changed. */
  open(): Promise<SourceReader<Facts>>;
}

/** What makes facts of files, and calls of facts. */
export interface SourceReader<Facts> {
  /** Reads a file's whole lines from its start, or on from where earlier facts of it end. */
  read(file: SessionFile, before: Facts | null): FactsReader<Facts>;
  /** Puts the facts of all files together; the oldest call comes first. */
  resolve(files: readonly ParsedFile<Facts>[]): readonly LocalCall[];
  /** The session that a file's calls are listed under, where its name does not tell. */
  sessionOf?(file: ParsedFile<Facts>): string;
  /** Returns what is less certain than it looks, in sentences for readers of the figures. `calls`: what `resolve` made. */
  warnings?(files: readonly ParsedFile<Facts>[], calls: readonly LocalCall[]): readonly string[];
}

export interface FactsReader<Facts> {
  /** Whole lines: `bytes[start]` to `bytes[end]`, the last newline included. The bytes are overwritten afterwards. */
  block(bytes: Buffer, start: number, end: number): void;
  /** A line longer than a block holds, piece by piece; `last` with its last. */
  longLine(piece: Buffer, last: boolean): void;
  /** Facts of everything read so far, earlier ones included. */
  facts(): Facts;
}
