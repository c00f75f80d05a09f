import { appendFileSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LocalCall } from '../../src/domain/sessions/local-call.ts';
import { TRANSCRIPTS } from '../../src/sessions/claude-code/transcripts.ts';
import type { ClaudeFacts } from '../../src/sessions/claude-code/facts.ts';
import { loadSessions } from '../../src/sessions/reading/load-sessions.ts';
import type { ParsedFile } from '../../src/sessions/reading/source.ts';
import { type Random, seeded, seedOfRun } from '../seeded.ts';
import { shuffled, whole } from './chance.ts';
import { writeClaudeTree } from './claude-tree.ts';
import { Prose } from './prose.ts';
import { sortedCalls } from './sorted-calls.ts';

const seed = seedOfRun();
const until = Date.UTC(2026, 10, 20);
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'claude-tree-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function tree(name: string, random: Random, bytes: number) {
  return writeClaudeTree(random, new Prose(random), { folder: join(folder, name, 'projects'), bytes, until });
}

async function load(name: string, cache: string | null): Promise<LocalCall[]> {
  const places = { home: folder, platform: process.platform, env: { CLAUDE_CONFIG_DIR: join(folder, name) } };
  const cacheFolder = cache === null ? null : join(folder, cache);
  const { calls } = await loadSessions({ sources: ['claude_code'], host: places, cacheFolder });
  return sortedCalls(calls);
}

function factsOf(path: string, text: Buffer, before: ClaudeFacts | null): ClaudeFacts {
  const reader = TRANSCRIPTS.read(fileOf(path), before);
  reader.block(text, 0, text.length);
  return reader.facts();
}

function fileOf(path: string) {
  const [, session = ''] = relative(folder, path).split('projects')[1]?.split(/[\\/]/).slice(1) ?? [];
  return { path, sessionId: session.replace('.jsonl', ''), size: 0, modifiedAt: 0, inode: path };
}

describe(`trees of Claude Code, seed ${seed}`, () => {
  it('yield exactly the calls made, with and without a cache', async () => {
    const { calls } = tree('exact', seeded(seed), 12_000_000);
    const truth = sortedCalls(calls);
    expect(await load('exact', null)).toEqual(truth);
    expect(await load('exact', 'exact-cache')).toEqual(truth);
    expect(await load('exact', 'exact-cache')).toEqual(truth);
  });

  it('yield exactly the calls made, with several threads', async () => {
    const { calls } = tree('threads', seeded(seed + 4), 60_000_000);
    expect(await load('threads', 'threads-cache')).toEqual(sortedCalls(calls));
    expect(await load('threads', 'threads-cache')).toEqual(sortedCalls(calls));
  });

  it('yield the same calls in any order of files', () => {
    const random = seeded(seed + 1);
    const { paths } = tree('order', random, 4_000_000);
    const files = paths.map((path): ParsedFile<ClaudeFacts> => {
      return { file: fileOf(path), facts: factsOf(path, readFileSync(path), null) };
    });
    const expected = sortedCalls(TRANSCRIPTS.resolve(files));
    for (let round = 0; round < 20; round++)
      expect(sortedCalls(TRANSCRIPTS.resolve(shuffled(random, files)))).toEqual(expected);
  });

  it('yield the same facts when continued at any line as when read whole, also from a cache', () => {
    const { paths } = tree('lines', seeded(seed + 2), 1_500_000);
    for (const path of paths) {
      const bytes = readFileSync(path);
      const lines = bytes.subarray(0, bytes.lastIndexOf('\n') + 1);
      let facts: ClaudeFacts | null = null;
      for (let start = 0; start < lines.length;) {
        const end = lines.indexOf('\n', start) + 1;
        const before = facts === null ? null : (JSON.parse(JSON.stringify(facts)) as ClaudeFacts);
        facts = factsOf(path, lines.subarray(start, end), before);
        start = end;
      }
      expect(facts).toEqual(factsOf(path, lines, null));
    }
  });

  it('yield the same calls after appends, truncation, rotation and deletion as when read again', async () => {
    const random = seeded(seed + 3);
    const { paths } = tree('changes', random, 3_000_000);
    const texts = paths.map((path) => readFileSync(path));
    const start = (index: number): Buffer => texts[index]!.subarray(0, whole(random, 0, texts[index]!.length));
    paths.forEach((path, index) => writeFileSync(path, start(index)));
    for (let round = 0; round < 15; round++) {
      expect(await load('changes', 'changes-cache')).toEqual(await load('changes', null));
      for (let left = 6; left > 0; left--) {
        const index = whole(random, 0, paths.length - 1);
        change(random, paths[index]!, texts[index]!);
      }
    }
    paths.forEach((path, index) => writeFileSync(path, texts[index]!));
    expect(await load('changes', 'changes-cache')).toEqual(await load('changes', null));
  });
});

function change(random: Random, path: string, text: Buffer): void {
  const now = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
  const part = text.subarray(0, whole(random, 0, text.length));
  const kind = whole(random, 0, 5);
  if (kind === 0) writeFileSync(path, part);
  else if (kind === 1) {
    writeFileSync(`${path}.draft`, part);
    renameSync(`${path}.draft`, path);
  } else if (kind === 2) rmSync(path, { force: true });
  // Another file that is longer, under the same name and inode.
  else if (kind === 3) writeFileSync(path, Buffer.concat([text.subarray(text.indexOf('\n') + 1), part]));
  else if (text.subarray(0, now.length).equals(now))
    appendFileSync(path, text.subarray(now.length, whole(random, now.length, text.length)));
}
