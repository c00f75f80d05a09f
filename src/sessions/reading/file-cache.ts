import { join, posix, win32 } from 'node:path';
import type { LocalSource } from '../../domain/sessions/local-call.ts';
import { asciiJson, readChecked, writeChecked } from './checked-file.ts';
import type { ReadState } from './read-blocks.ts';
import type { HostEnvironment, SessionFile } from './source.ts';

/** Version of the line format below. */
const FORMAT = 3;
const LINES_AT_ONCE = 64;
const NEWLINE = 0x0a;
/** Separates head and facts. It never occurs in JSON. */
const TAB = 0x09;

/** A file with the facts that were read from it. */
export interface FileFacts extends ReadState {
  readonly facts: unknown;
}

export interface CachedFile extends FileFacts {
  /** The file as a line of the cache. */
  readonly line: string;
}

/** Identifies a cache. A cache of another version is ignored. */
export interface CacheId {
  readonly source: LocalSource;
  readonly version: number;
}

/** Cached files by path, and the checksum of the cache. */
export interface FileCache {
  readonly files: ReadonlyMap<string, CachedFile>;
  readonly sum: number | null;
}

export const NO_CACHE: FileCache = { files: new Map(), sum: null };

export function resolveCacheFolder({ home, platform, env }: HostEnvironment): string {
  if (platform === 'win32')
    return win32.join(env['LOCALAPPDATA'] || win32.join(home, 'AppData', 'Local'), 'tollbook', 'cache');
  if (platform === 'darwin') return posix.join(home, 'Library', 'Caches', 'tollbook');
  const base = env['XDG_CACHE_HOME'];
  return posix.join(base !== undefined && posix.isAbsolute(base) ? base : posix.join(home, '.cache'), 'tollbook');
}

export function cachePath(folder: string, source: LocalSource): string {
  return join(folder, `${source}.sessions`);
}

export function callsPath(folder: string, source: LocalSource): string {
  return join(folder, `${source}.calls`);
}

/** Reads a cache; a damaged one is empty, because everything in it can be read again. */
export function readCache(path: string, of: CacheId): FileCache {
  const checked = readChecked(path, cacheLabel(of));
  if (checked === null) return NO_CACHE;
  const { body, sum } = checked;
  const files = new Map<string, CachedFile>();
  for (let start = 0; start < body.length;) {
    const end = body.indexOf(NEWLINE, start) + 1;
    const file = new CachedLine(body, start, end);
    files.set(file.file.path, file);
    start = end;
  }
  return { files, sum };
}

/** Writes a cache and returns its checksum. */
export function writeCache(path: string, of: CacheId, files: readonly CachedFile[]): number {
  return writeChecked(path, cacheLabel(of), lineBatches(files));
}

/** Joins some lines at a time: single writes are slow, and all lines together would be in memory twice. */
function* lineBatches(files: readonly CachedFile[]): Generator<string> {
  for (let at = 0; at < files.length; at += LINES_AT_ONCE) {
    const some = files.slice(at, at + LINES_AT_ONCE);
    yield some.map(({ line }) => line).join('');
  }
}

/** A line of a cache that parses its facts on demand: most runs change nothing and do not need them. */
class CachedLine implements CachedFile {
  readonly file: SessionFile;
  readonly mark: ReadState['mark'];
  readonly #body: Buffer;
  readonly #start: number;
  readonly #end: number;
  readonly #tab: number;
  #facts: unknown = undefined;

  constructor(body: Buffer, start: number, end: number) {
    this.#body = body;
    this.#start = start;
    this.#end = end;
    this.#tab = body.indexOf(TAB, start);
    const read = parseHead(body.toString('latin1', start, this.#tab));
    this.file = read.file;
    this.mark = read.mark;
  }

  get facts(): unknown {
    this.#facts ??= JSON.parse(this.#body.toString('latin1', this.#tab + 1, this.#end)) as unknown;
    return this.#facts;
  }

  get line(): string {
    return this.#body.toString('latin1', this.#start, this.#end);
  }
}

export function toCacheLine({ file, mark, facts }: FileFacts): string {
  const { path, sessionId, size, modifiedAt, inode, compressed } = file;
  const head = [path, sessionId, size, modifiedAt, inode, compressed ?? 0, mark.offset, mark.check];
  return `${asciiJson(head)}\t${asciiJson(facts)}\n`;
}

export function parseCacheLine(line: string): CachedFile {
  const tab = line.indexOf('\t');
  return { ...parseHead(line.slice(0, tab)), facts: JSON.parse(line.slice(tab + 1)) as unknown, line };
}

function parseHead(head: string): ReadState {
  const [path, sessionId, size, modifiedAt, inode, compressed, offset, check] = JSON.parse(head) as [
    string,
    string,
    number,
    number,
    string,
    'zstd' | 0,
    number,
    number,
  ];
  const plain: SessionFile = { path, sessionId, size, modifiedAt, inode };
  return { file: compressed === 0 ? plain : { ...plain, compressed }, mark: { offset, check } };
}

function cacheLabel({ source, version }: CacheId): string {
  return `sessions ${FORMAT} ${source} ${version}`;
}
