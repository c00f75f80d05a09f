import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  parseCacheLine,
  type CachedFile,
  resolveCacheFolder,
  cachePath,
  toCacheLine,
  readCache,
  writeCache,
} from './file-cache.ts';

const OF = { source: 'codex', version: 3 } as const;
const file = { path: '/ü/🙂.jsonl', sessionId: 's', size: 5, modifiedAt: 1.5, inode: '1:2' };
const kept = { file, mark: { offset: 4, check: 7 }, facts: { text: 'größer\u2028 "quoted"\n' } };
const zipped = { ...kept, file: { ...file, path: '/z.zst', compressed: 'zstd' as const } };
const one = parseCacheLine(toCacheLine(kept));
const other = parseCacheLine(toCacheLine(zipped));
let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cache-'));
  path = cachePath(join(folder, 'below'), 'codex');
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Its facts are read when they are asked for. */
function textOf({ file: reported, mark, facts, line }: CachedFile): unknown {
  return { told: reported, mark, facts, line };
}

describe('a cache', () => {
  it('returns what was written, in ASCII', () => {
    writeCache(path, OF, [one, other]);
    expect(Array.from(readCache(path, OF).files.values(), textOf)).toEqual([one, other].map(textOf));
    expect(one).toMatchObject(kept);
    expect(readFileSync(path).every((byte) => byte < 0x80)).toBe(true);
  });

  it('is for its owner alone', () => {
    writeCache(path, OF, [one]);
    const modes = [path, join(folder, 'below')].map((name) => statSync(name).mode & 0o077);
    // Windows has no such modes.
    expect(process.platform === 'win32' ? [0, 0] : modes).toEqual([0, 0]);
  });

  it('is empty when it is missing, of another version or of another source', () => {
    expect(readCache(path, OF).files.size).toBe(0);
    writeCache(path, OF, [one]);
    expect(readCache(path, { ...OF, version: 4 }).files.size).toBe(0);
    expect(readCache(path, { ...OF, source: 'claude_code' }).files.size).toBe(0);
  });

  it('is empty if one of its bytes changed, or its end is missing', () => {
    writeCache(path, OF, [one, other]);
    const bytes = readFileSync(path);
    for (let at = 0; at < bytes.length; at += 3) {
      const broken = Buffer.from(bytes);
      broken[at] = broken[at]! ^ 1;
      writeFileSync(path, broken);
      expect(readCache(path, OF).files.size, `byte ${at} changed`).toBe(0);
      writeFileSync(path, bytes.subarray(0, at));
      expect(readCache(path, OF).files.size, `cut at ${at}`).toBe(0);
    }
  });

  it('is replaced whole; drafts of processes that died are removed, those of living ones are not', () => {
    writeCache(path, OF, [one]);
    const [dead, living] = [`${path}.999999999.draft`, `${path}.${process.ppid}.draft`];
    for (const draft of [dead, living, `${path}.${process.pid}.draft`]) writeFileSync(draft, 'half');
    writeCache(path, OF, [other]);
    expect([...readCache(path, OF).files.keys()]).toEqual(['/z.zst']);
    expect([existsSync(dead), existsSync(living)]).toEqual([false, true]);
    expect(readdirSync(join(folder, 'below'))).toHaveLength(2);
  });
});

it('the folder of caches is the platform’s', () => {
  expect(resolveCacheFolder({ home: '/h', platform: 'linux', env: {} })).toBe('/h/.cache/tollbook');
  expect(resolveCacheFolder({ home: '/h', platform: 'linux', env: { XDG_CACHE_HOME: '/c' } })).toBe('/c/tollbook');
  expect(resolveCacheFolder({ home: '/h', platform: 'linux', env: { XDG_CACHE_HOME: 'c' } })).toBe(
    '/h/.cache/tollbook',
  );
  expect(resolveCacheFolder({ home: '/h', platform: 'darwin', env: {} })).toBe('/h/Library/Caches/tollbook');
  expect(resolveCacheFolder({ home: 'C:\\h', platform: 'win32', env: {} })).toBe(
    'C:\\h\\AppData\\Local\\tollbook\\cache',
  );
});
