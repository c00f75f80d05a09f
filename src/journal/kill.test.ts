import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { sampleLost } from './contract/sample-calls.ts';
import { openJournalReader } from './journal-reader.ts';
import { openJournal } from './open-journal.ts';

const WRITER = fileURLToPath(new URL('contract/killed-writer.ts', import.meta.url));
const ROUNDS = 10;
/** Each round ends after a number of lines between 1 and this, so that early and late moments are hit. */
const LINES_MAX = 6_000;

/** Runs the writer and kills it when it has said so many lines. Returns all it said before it was gone. */
async function killAfter(lines: number, folder: string, prefix: string): Promise<string[]> {
  const child = spawn(process.execPath, [WRITER, folder, prefix], { stdio: ['ignore', 'pipe', 'inherit'] });
  const gone = once(child, 'exit');
  const said: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    said.push(line);
    if (said.length === lines) child.kill('SIGKILL');
  }
  const [, signal] = (await gone) as [number | null, string | null];
  expect(signal).toBe('SIGKILL');
  return said;
}

test('after kill -9 at any moment every acknowledged call is there, and no call ends twice', async () => {
  const base = mkdtempSync(join(tmpdir(), 'tollbook-kill-'));
  const folder = join(base, 'journal');
  const begun = new Set<string>();
  const ended = new Set<string>();
  let lost = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const lines = 1 + Math.floor(LINES_MAX * Math.random() ** 2);
    for (const line of await killAfter(lines, folder, `round${round}`)) {
      const [what = '', which = ''] = line.split(' ');
      expect(line).not.toMatch(/^trouble/);
      if (what === 'begin') begun.add(which);
      if (what === 'end') ended.add(which);
      if (what === 'recovered') lost += Number(which);
    }
  }
  const journal = openJournal({ folder, sync: 'normal', clock: () => 0, onProblem: () => {} });
  const recovered = journal.recover(sampleLost);
  lost += recovered.lost;
  expect(recovered.gap).toBe(true);
  const reader = openJournalReader(folder);
  const { entries, missing, mark } = reader.readEnded(0, 1_000_000);
  reader.close();
  journal.close();
  rmSync(base, { recursive: true });

  const outcomes = new Map(entries.map((entry) => [entry.callId, entry.outcome]));
  expect(outcomes.size).toBe(entries.length);
  expect([missing, mark]).toEqual([0, entries.length]);
  expect([...begun].filter((id) => !outcomes.has(id))).toEqual([]);
  expect([...ended].filter((id) => outcomes.get(id) !== 'completed')).toEqual([]);
  expect([...outcomes.values()].filter((outcome) => outcome === 'lost')).toHaveLength(lost);
  expect(begun.size).toBeGreaterThan(ROUNDS);
});
