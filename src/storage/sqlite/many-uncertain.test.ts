import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { entryOf, FIRST_DAY } from '../../../test/support/arbitrary-entry.ts';
import { limitOf } from '../contract/counters-contract.ts';
import type { StorageEngine } from '../engine.ts';
import { UNCERTAIN_AT_ONCE } from '../sql/release-uncertain.ts';
import { openSqliteEngine } from './sqlite-engine.ts';
import { DAY_MS } from '../../domain/time/units.ts';

const DAY = { start: FIRST_DAY, end: FIRST_DAY + DAY_MS };
const CALLS = 4 * UNCERTAIN_AT_ONCE;
/** More of them end in this one than are read in one turn. */
const MOMENT = FIRST_DAY + 1_000;
const IN_MOMENT = UNCERTAIN_AT_ONCE + 100;
const folder = mkdtempSync(join(tmpdir(), 'many-uncertain-'));
let engine: StorageEngine;

beforeAll(async () => {
  engine = await openSqliteEngine({ databaseUrl: null, file: join(folder, 'ledger.db'), synchronous: 'normal' });
  const entries = Array.from({ length: CALLS }, (_, at) => brokenAt(at < IN_MOMENT ? MOMENT : MOMENT + at, at));
  await engine.store.entries.append({ journalId: 'journal', mark: 1, entries });
});
afterAll(() => rmSync(folder, { recursive: true }));

function brokenAt(endedAt: number, at: number) {
  const counted = { usd: 2_000, inputTokens: 200, outputTokens: 100 };
  const touched = [{ counter: 1, unit: 'usd', windowStart: FIRST_DAY, value: '' } as const];
  const unknown = { uncertainReason: 'reset', usageSource: 'none', usage: null, cost: null, provenance: null } as const;
  return entryOf(`call_${at}`, { ...unknown, outcome: 'broken', startedAt: FIRST_DAY, endedAt, counted, touched });
}

async function whileOthersWait<Answer>(ask: () => Promise<Answer>): Promise<{ answer: Answer; others: boolean }> {
  let others = false;
  setImmediate(() => (others = true));
  return { answer: await ask(), others };
}

test('many uncertain calls are released in parts, each once, and counted again in turns', async () => {
  const { counters } = engine.store;
  const due = { counter: 1, windowStart: FIRST_DAY, until: MOMENT + CALLS - 10 };
  const parts: number[] = [];
  for (let isDone = false; !isDone;) {
    const released = await counters.release('ws_default', due);
    parts.push(released.moves.length);
    ({ isDone } = released);
  }
  // All of one moment go together.
  expect(parts.every((moves) => moves <= IN_MOMENT)).toBe(true);
  expect(parts.reduce((sum, moves) => sum + moves, 0)).toBe(CALLS - 10);
  const held = [{ counter: 1, windowStart: FIRST_DAY, value: '', counted: 20_000, uncertain: 20_000 }];
  const { answer, others } = await whileOthersWait(() => counters.recount(limitOf(), DAY, () => null));
  expect(answer).toEqual({ expected: held, counted: held });
  expect(others).toBe(true);
});
