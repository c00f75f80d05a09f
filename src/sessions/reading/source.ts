import type { LocalCall, LocalSource } from '../../domain/sessions/local-call.ts';

/** Parts of the environment that decide where files are. */
export interface HostEnvironment {
  readonly home: string;
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A file that may contain usage. */
export interface SessionFile {
  readonly path: string;
  /** Session id from the file's name or folder. */
  readonly sessionId: string;
  /** Bytes. */
  readonly size: number;
  /** Epoch ms, with fractions. */
  readonly modifiedAt: number;
  /** Device and inode, which differ for another file with the same name. */
  readonly inode: string;
  /** The file is a zstd stream, which is read whole whenever it changes. */
  readonly compressed?: 'zstd';
}

/** A file with its facts: JSON that is cached between runs and contains no prompts or answers. */
export interface ParsedFile<Facts> {
  readonly file: SessionFile;
  readonly facts: Facts;
}

/**
 * Session files of one coding assistant. Finding, reading and resolving are separate: the facts of a file depend only on
 * that file and can be cached, and the resolved calls never depend on the order of the files.
 */
export interface SessionSource<Facts> {
  readonly name: LocalSource;
  /**
   * Version of the format and meaning of facts and resolved calls. Caches of another version are ignored.
   */
  readonly version: number;
  /** Returns every folder that is searched, even if it does not exist. */
  host(host: HostEnvironment): readonly string[];
  find(host: HostEnvironment): Promise<readonly SessionFile[]>;
  /** Loads the reader, which is not needed if nothing changed. */
  open(): Promise<SourceReader<Facts>>;
}

/** Reads facts from files and resolves them into calls. */
export interface SourceReader<Facts> {
  /** Returns the facts of a file that is not lines, such as a database; undefined = it is lines. */
  readWhole?(file: SessionFile): Facts | undefined;
  /** Opens a reader of a file's lines, from its start or from the end of earlier facts. */
  read(file: SessionFile, before: Facts | null): FactsReader<Facts>;
  /** Resolves the facts of all files into calls, the oldest first. */
  resolve(files: readonly ParsedFile<Facts>[]): readonly LocalCall[];
  /** Returns the session of a file's calls, if it is not the one in the file's name. */
  sessionOf?(file: ParsedFile<Facts>): string;
  /** Returns sentences on what is less certain than it looks. `calls`: result of `resolve`. */
  warnings?(files: readonly ParsedFile<Facts>[], calls: readonly LocalCall[]): readonly string[];
}

export interface FactsReader<Facts> {
  /** Reads whole lines from `bytes[start]` to `bytes[end]`, including the last newline. The bytes are overwritten afterwards. */
  block(bytes: Buffer, start: number, end: number): void;
  /** Reads a piece of a line longer than a block; `last` with its last piece. */
  longLine(piece: Buffer, last: boolean): void;
  /** Returns the facts of everything read so far, including earlier ones. */
  facts(): Facts;
}
