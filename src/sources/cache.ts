import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, posix, win32 } from 'node:path';
import { crc32 } from 'node:zlib';
import type { LocalSource } from '../core/local-call.ts';
import type { ReadFile } from './read-blocks.ts';
import type { Places, SessionFile } from './source.ts';

/** Goes up whenever the lines below change. */
const FORMAT = 1;
const NEWLINE = 0x0a;
const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;
const BEYOND_ASCII = /[^\0-\x7f]/g;

/** A file, and what it said when it was read. */
export interface KeptFile extends ReadFile {
  readonly facts: unknown;
}

export interface CachedFile extends KeptFile {
  /** Itself as a line of the cache. */
  readonly line: string;
}

/** Which cache it is: of another version it is as good as none. */
export interface CacheOf {
  readonly source: LocalSource;
  readonly version: number;
}

export function cacheFolderOf({ home, platform, env }: Places): string {
  if (platform === 'win32')
    return win32.join(env['LOCALAPPDATA'] || win32.join(home, 'AppData', 'Local'), 'tollbook', 'cache');
  if (platform === 'darwin') return posix.join(home, 'Library', 'Caches', 'tollbook');
  const base = env['XDG_CACHE_HOME'];
  return posix.join(base !== undefined && posix.isAbsolute(base) ? base : posix.join(home, '.cache'), 'tollbook');
}

export function cachePath(folder: string, source: LocalSource): string {
  return join(folder, `${source}.sessions`);
}

/** What is kept, by path. Whatever is wrong with a cache, it is empty: everything in it can be read again. */
export function readCache(path: string, of: CacheOf): Map<string, CachedFile> {
  try {
    return cachedFiles(readFileSync(path), of);
  } catch {
    return new Map();
  }
}

function cachedFiles(bytes: Buffer, of: CacheOf): Map<string, CachedFile> {
  const kept = new Map<string, CachedFile>();
  let at = bytes.indexOf(NEWLINE) + 1;
  const body = bytes.subarray(at);
  if (bytes.toString('latin1', 0, at) !== header(of, crc32(body))) return kept;
  while (at < bytes.length) {
    const end = bytes.indexOf(NEWLINE, at) + 1;
    const file = cachedOf(bytes.toString('latin1', at, end));
    kept.set(file.file.path, file);
    at = end;
  }
  return kept;
}

/**
 * Writes a cache whole and gives it its name at the end, so that a reader sees the old or the new one, and of two writers
 * the last counts. It need not survive a loss of power: its sum tells.
 */
export function writeCache(path: string, of: CacheOf, lines: readonly string[]): void {
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
  const draft = `${path}.${process.pid}.draft`;
  rmSync(draft, { force: true });
  const body = lines.join('');
  writeFileSync(draft, header(of, crc32(body)) + body, { encoding: 'latin1', flag: 'wx', mode: PRIVATE_FILE });
  renameSync(draft, path);
  removeLeftDrafts(folder, basename(path));
}

/** Of processes that died while they wrote. */
function removeLeftDrafts(folder: string, name: string): void {
  for (const entry of readdirSync(folder)) {
    const pid = entry.startsWith(`${name}.`) ? /\.(\d+)\.draft$/.exec(entry)?.[1] : undefined;
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(folder, entry), { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** ASCII alone, which is several times faster to read as text. */
export function lineOf({ file, mark, facts }: KeptFile): string {
  const { path, sessionId, size, modifiedAt, inode, compressed } = file;
  const text = JSON.stringify([
    path,
    sessionId,
    size,
    modifiedAt,
    inode,
    compressed ?? 0,
    mark.offset,
    mark.check,
    facts,
  ]);
  return `${text.replace(BEYOND_ASCII, escaped)}\n`;
}

export function cachedOf(line: string): CachedFile {
  const [path, sessionId, size, modifiedAt, inode, compressed, offset, check, facts] = JSON.parse(line) as [
    string,
    string,
    number,
    number,
    string,
    'zstd' | 0,
    number,
    number,
    unknown,
  ];
  const plain: SessionFile = { path, sessionId, size, modifiedAt, inode };
  const file = compressed === 0 ? plain : { ...plain, compressed };
  return { file, mark: { offset, check }, facts, line };
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function header({ source, version }: CacheOf, sum: number): string {
  return `tollbook sessions ${FORMAT} ${source} ${version} ${sum.toString(16)}\n`;
}
