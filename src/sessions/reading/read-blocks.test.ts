import { appendFileSync, mkdtempSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BlockReader, type ReadState } from './read-blocks.ts';
import type { SessionFile } from './source.ts';

const BLOCK = 16;
let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'read-blocks-'));
  path = join(folder, 'file');
});
afterEach(() => rmSync(folder, { recursive: true }));

function fileNow(): SessionFile {
  const { size, mtimeNs, dev, ino } = statSync(path, { bigint: true });
  return { path, sessionId: 's', size: Number(size), modifiedAt: Number(mtimeNs) / 1e6, inode: `${dev}:${ino}` };
}

/** Reads with blocks of 16 bytes. Lines longer than that are marked. */
async function read(before: ReadState | null = null, file: SessionFile = fileNow(), blockBytes = BLOCK) {
  const lines: string[] = [];
  let long = '';
  let goesOn = false;
  const done = await new BlockReader(blockBytes).read(
    file,
    before,
    (isMore) => {
      goesOn = isMore;
      return {
        block(bytes, start, end) {
          for (const line of bytes.toString('utf8', start, end).split('\n').slice(0, -1)) lines.push(line);
        },
        longLine(piece, last) {
          long += piece.toString('latin1');
          if (!last) return;
          lines.push(`long ${long.trimEnd()}`);
          long = '';
        },
      };
    },
    () => undefined,
  );
  return { read: done, lines, goesOn };
}

describe('a file', () => {
  it('is read line by line, for any length of lines', async () => {
    const texts = Array.from({ length: 60 }, (_, length) => 'x'.repeat(length));
    writeFileSync(path, texts.map((text) => `${text}\n`).join(''));
    const { lines } = await read();
    expect(lines.map((line) => line.replace('long ', ''))).toEqual(texts);
    expect(lines.filter((line) => line.startsWith('long')).length).toBeGreaterThan(40);
  });

  it('is read without its byte order mark', async () => {
    writeFileSync(path, '\ufeffone\ntwo\n');
    expect((await read()).lines).toEqual(['one', 'two']);
  });

  it('that no longer exists is skipped', async () => {
    writeFileSync(path, '');
    const file = fileNow();
    rmSync(path);
    expect((await read(null, file)).read).toBeNull();
  });

  it('that is compressed is read whole', async () => {
    const text = 'one\na line that is longer than a block\n{"whole":1}';
    writeFileSync(path, zstdCompressSync(text));
    const { lines, read: whole } = await read(null, { ...fileNow(), compressed: 'zstd' });
    expect(lines).toEqual(['one', 'long a line that is longer than a block', '{"whole":1}']);
    expect(whole?.mark).toEqual({ offset: 0, check: 0 });
  });

  it('that is compressed is read as a stream if it is long', async () => {
    const text = `${'a line\n'.repeat(800_000)}last\n`;
    writeFileSync(path, zstdCompressSync(text));
    const { lines } = await read(null, { ...fileNow(), compressed: 'zstd' }, 64 * 1024);
    expect(lines).toHaveLength(800_001);
    expect(lines.at(-1)).toBe('last');
  });

  it('that can’t be unpacked is an error', async () => {
    writeFileSync(path, 'no zstd');
    await expect(read(null, { ...fileNow(), compressed: 'zstd' })).rejects.toThrow(/./);
  });
});

describe('a last line without its end', () => {
  it('waits for the next reading', async () => {
    writeFileSync(path, 'one\ntw');
    const first = await read();
    expect(first.lines).toEqual(['one']);
    appendFileSync(path, 'o\nthree\n');
    expect(await read(first.read)).toMatchObject({ lines: ['two', 'three'], goesOn: true });
  });

  it('is left although it is longer than a block', async () => {
    writeFileSync(path, `one\n${'x'.repeat(50)}`);
    const first = await read();
    appendFileSync(path, 'y\n');
    expect((await read(first.read)).lines).toEqual([`long ${'x'.repeat(50)}y`]);
  });

  it('is read once if it is a whole object', async () => {
    writeFileSync(path, '{"one":1}');
    const first = await read();
    expect(first.lines).toEqual(['{"one":1}']);
    appendFileSync(path, '\r\ntwo\n');
    expect(await read(first.read)).toMatchObject({ lines: ['\r', 'two'], goesOn: true });
  });

  it('that was read and then continued causes the file to be read again', async () => {
    writeFileSync(path, '{"one":1}');
    const first = await read();
    appendFileSync(path, 'x\n');
    expect(await read(first.read)).toMatchObject({ lines: ['{"one":1}x'], goesOn: false });
  });
});

describe('a file is read again', () => {
  const text = 'one\ntwo\n';
  const cases: Record<string, () => void> = {
    'where it was truncated': () => writeFileSync(path, 'one\n'),
    'where it was truncated and has grown beyond': () => writeFileSync(path, 'one\nTWO\nthree\n'),
    'where another one has taken its name': () => {
      writeFileSync(`${path}2`, `${text}three\n`);
      renameSync(`${path}2`, path);
    },
    'where it has changed and is as long': () => {
      writeFileSync(path, 'one\nTWO\n');
      utimesSync(path, 1, 1);
    },
  };
  it.each(Object.entries(cases))('%s', async (_, change) => {
    writeFileSync(path, text);
    const first = await read();
    change();
    expect((await read(first.read)).goesOn).toBe(false);
  });
});

it('the cache has the state of a file when it was opened', async () => {
  writeFileSync(path, 'one\n');
  const found = { ...fileNow(), size: 1, modifiedAt: 1, inode: 'other' };
  const now = fileNow();
  expect((await read(null, found)).read?.file).toEqual(now);
});
