import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LocalCall } from '../../src/domain/sessions/local-call.ts';
import { ROLLOUTS } from '../../src/sessions/codex/rollouts.ts';
import type { CodexFacts } from '../../src/sessions/codex/facts.ts';
import { loadSessions } from '../../src/sessions/reading/load-sessions.ts';
import type { ParsedFile, HostEnvironment } from '../../src/sessions/reading/source.ts';
import { type Random, seeded, seedOfRun } from '../seeded.ts';
import { shuffled, whole } from './chance.ts';
import { writeCodexTree } from './codex-tree.ts';
import { Prose } from './prose.ts';

const seed = seedOfRun();
const until = Date.UTC(2026, 10, 20);
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'codex-tree-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function placesOf(name: string): HostEnvironment {
  return { home: folder, platform: process.platform, env: { CODEX_HOME: join(folder, name) } };
}

async function load(name: string, cache: string | null): Promise<readonly LocalCall[]> {
  const cacheFolder = cache === null ? null : join(folder, cache);
  const { calls, warnings } = await loadSessions({ sources: ['codex'], host: placesOf(name), cacheFolder });
  const note = expect.stringContaining('known only from copies');
  expect(warnings).toEqual(calls.some((call) => call.copied) ? [note] : []);
  return calls;
}

function inOrder(calls: readonly LocalCall[]): LocalCall[] {
  const key = ({ at, sessionId, usage }: LocalCall) =>
    `${String(at).padStart(16)} ${sessionId} ${usage.inferences[0]?.promptTokens} ${usage.thinking}`;
  return calls.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
}

function tree(name: string, random: Random, bytes: number) {
  return writeCodexTree(random, new Prose(random), { folder: join(folder, name), bytes, until });
}

function factsOf(text: Buffer, before: CodexFacts | null, path = 'rollout'): CodexFacts {
  const file = { path, sessionId: path, size: text.length, modifiedAt: 0, inode: path };
  const reader = ROLLOUTS.read(file, before);
  reader.block(text, 0, text.length);
  return reader.facts();
}

describe(`trees of Codex, seed ${seed}`, () => {
  it('yield exactly the calls made, with and without a cache', async () => {
    const { calls } = tree('exact', seeded(seed), 12_000_000);
    const truth = inOrder(calls);
    expect(inOrder(await load('exact', null))).toEqual(truth);
    expect(inOrder(await load('exact', 'exact-cache'))).toEqual(truth);
    expect(inOrder(await load('exact', 'exact-cache'))).toEqual(truth);
  });

  it('yield the same calls in any order of files', () => {
    const random = seeded(seed + 1);
    const { paths } = tree('order', random, 4_000_000);
    const files = paths.map((path): ParsedFile<CodexFacts> => {
      const bytes = readFileSync(path);
      const facts = factsOf(path.endsWith('.zst') ? zstdDecompressSync(bytes) : bytes, null, path);
      return { file: { path, sessionId: path, size: 0, modifiedAt: 0, inode: path }, facts };
    });
    const expected = ROLLOUTS.resolve(files);
    for (let round = 0; round < 20; round++) expect(ROLLOUTS.resolve(shuffled(random, files))).toStrictEqual(expected);
  });

  it('yield the same facts when continued at any line as when read whole, also from a cache', () => {
    const random = seeded(seed + 2);
    const { paths } = tree('lines', random, 1_500_000);
    for (const path of paths.filter((name) => name.endsWith('.jsonl'))) {
      const bytes = readFileSync(path);
      const lines = bytes.subarray(0, bytes.lastIndexOf('\n') + 1);
      const expected = factsOf(lines, null);
      let facts: CodexFacts | null = null;
      for (let start = 0; start < lines.length;) {
        const end = lines.indexOf('\n', start) + 1;
        const before = facts === null ? null : (JSON.parse(JSON.stringify(facts)) as CodexFacts);
        facts = factsOf(lines.subarray(start, end), before);
        start = end;
      }
      expect(facts).toEqual(expected);
    }
  });

  it('yield the same calls after appends, truncation, rotation and archiving as when read again', async () => {
    const random = seeded(seed + 3);
    const { paths } = tree('changes', random, 3_000_000);
    const plain = paths.filter((path) => path.endsWith('.jsonl'));
    const texts = plain.map((path) => readFileSync(path));
    plain.forEach((path, index) =>
      writeFileSync(path, texts[index]!.subarray(0, whole(random, 0, texts[index]!.length))),
    );
    for (let round = 0; round < 12; round++) {
      expect(await load('changes', 'changes-cache')).toEqual(await load('changes', null));
      for (let left = 5; left > 0; left--) change(random, plain, texts);
    }
    plain.forEach((path, index) => writeFileSync(path, texts[index]!));
    expect(await load('changes', 'changes-cache')).toEqual(await load('changes', null));
  });
});

function change(random: Random, paths: readonly string[], texts: readonly Buffer[]): void {
  const index = whole(random, 0, paths.length - 1);
  const path = paths[index]!;
  const text = texts[index]!;
  const now = readFileSync(path);
  const kind = whole(random, 0, 4);
  if (kind === 0) writeFileSync(path, text.subarray(0, whole(random, 0, text.length)));
  else if (kind === 1) {
    writeFileSync(`${path}.draft`, text.subarray(0, whole(random, 0, text.length)));
    renameSync(`${path}.draft`, path);
  } else if (kind === 2) {
    const archive = join(folder, 'changes', 'archived_sessions');
    mkdirSync(archive, { recursive: true });
    writeFileSync(join(archive, path.slice(path.lastIndexOf('rollout-'))), text);
  } else if (text.subarray(0, now.length).equals(now))
    appendFileSync(path, text.subarray(now.length, whole(random, now.length, text.length)));
}
