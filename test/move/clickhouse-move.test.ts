import { Client } from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Adjustment } from '../../src/storage/entry-store.ts';
import { ClickhouseConnection } from '../../src/storage/clickhouse/clickhouse-connection.ts';
import type { StorageEngine } from '../../src/storage/engine.ts';
import { cancelMoveOfEntries, moveEntries, planEntriesMove } from '../../src/storage/move/move-entries.ts';
import { openEngine } from '../../src/storage/open.ts';
import { entryOf, FIRST_DAY, HOSTILE, WHOLE } from '../support/arbitrary-entry.ts';
import { temporaryClickhouse } from '../support/clickhouse.ts';
import { append, WORKSPACE } from '../support/filled-store.ts';
import { temporaryDatabase } from '../support/postgres.ts';
import { LEDGER_TEMPLATE } from '../support/temporary-records.ts';

vi.setConfig({ testTimeout: 180_000 });

const CALLS = 20;
const BATCH_CALLS = 6;

/** Calls with texts, tags and models that are hard to carry, some without a price or not sent. */
const calls = Array.from({ length: CALLS }, (_, index) => {
  const text = HOSTILE[index % HOSTILE.length]?.toWellFormed() ?? '';
  return entryOf(`call_${String(index).padStart(3, '0')}`, {
    startedAt: FIRST_DAY + index * 5_000_000,
    endedAt: FIRST_DAY + index * 5_000_000 + 1_000,
    model: text === '' ? 'gpt-z' : text,
    tags: { team: text, env: 'a' },
    requestId: text === '' ? null : text,
    ...(index % 5 === 4 && { cost: null, provenance: null }),
  });
});

function correctionOf(index: number, costBefore: number | null, costAfter: number): Adjustment {
  return {
    adjustmentId: `adj_${index}_${costAfter}`,
    callId: calls[index]?.callId ?? '',
    workspaceId: WORKSPACE,
    recordedAt: FIRST_DAY,
    costBefore,
    costAfter,
    provenance: { from: 'price', versions: ['v2'] },
    reason: 'price corrected',
  };
}

async function openStore(databaseUrl: string, clickhouseUrl: string | null): Promise<StorageEngine> {
  return await openEngine({ databaseUrl, clickhouseUrl, file: '', synchronous: 'normal' });
}

interface Both {
  readonly databaseUrl: string;
  readonly clickhouseUrl: string;
}

async function fillPostgres(): Promise<Both> {
  const both = { databaseUrl: await temporaryDatabase(LEDGER_TEMPLATE), clickhouseUrl: await temporaryClickhouse() };
  const { store, close } = await openStore(both.databaseUrl, null);
  await append(store, calls, CALLS);
  const [first] = calls;
  await store.entries.adjust([correctionOf(0, first?.cost ?? null, 7)]);
  await store.entries.adjust([correctionOf(0, 7, 9), correctionOf(4, null, 1_234)]);
  await close();
  return both;
}

async function readAnswers({ store: { reports } }: StorageEngine) {
  const middle = { start: FIRST_DAY + 1_234_567, end: FIRST_DAY + 71_234_567 };
  return {
    summary: await reports.summary(WORKSPACE, WHOLE),
    part: await reports.summary(WORKSPACE, middle),
    page: await reports.entriesPage(WORKSPACE, { range: WHOLE, filter: {}, cursor: null, limit: 100 }),
  };
}

async function answersOf({ databaseUrl }: Both, clickhouseUrl: string | null) {
  const engine = await openStore(databaseUrl, clickhouseUrl);
  const found = await readAnswers(engine);
  await engine.close();
  return found;
}

class StopsHere extends Error {}

test('calls and corrections move to ClickHouse, and a move that dies after each batch continues', async () => {
  const both = await fillPostgres();
  const expected = await answersOf(both, null);
  const given = { ...both, clock: () => FIRST_DAY, batchCallsMax: BATCH_CALLS };
  let deaths = 0;
  const copied: number[] = [];
  for (;;) {
    const dying = moveEntries({
      ...given,
      onProgress: ({ step, rows }) => {
        if (step !== 'copy') return;
        copied.push(rows);
        throw new StopsHere();
      },
    });
    const moved = await dying.catch((error: unknown) => error);
    if (!(moved instanceof StopsHere)) {
      expect(moved).toMatchObject({ tables: [{ rows: CALLS + 3 }] });
      break;
    }
    await expect(openStore(both.databaseUrl, null)).rejects.toThrow('being moved to ClickHouse');
    deaths += 1;
  }
  expect(deaths).toBe(Math.ceil(CALLS / BATCH_CALLS));
  expect(copied).toEqual([6, 12, 18, CALLS]);
  expect(await answersOf(both, both.clickhouseUrl)).toEqual(expected);
  const engine = await openStore(both.databaseUrl, both.clickhouseUrl);
  onTestFinished(() => engine.close());
  // A call that the ledger has is not counted again, and the next correction follows the moved ones.
  expect(await append(engine.store, [...calls.slice(-2), entryOf('new', { startedAt: FIRST_DAY })], CALLS + 3)).toBe(1);
  expect(await engine.store.entries.adjust([correctionOf(4, 1_234, 99)])).toMatchObject({ inserted: 1 });
  await expect(moveEntries({ ...given, onProgress: () => {} })).rejects.toThrow('in ClickHouse already');
});

test('a wrong row in ClickHouse ends the move with an error, and PostgreSQL keeps its calls', async () => {
  const both = await fillPostgres();
  const given = { ...both, clock: () => FIRST_DAY };
  const stopped = moveEntries({
    ...given,
    onProgress: ({ step }) => {
      if (step === 'compare') throw new StopsHere();
    },
  });
  await expect(stopped).rejects.toThrow(StopsHere);
  const connection = new ClickhouseConnection(both.clickhouseUrl);
  onTestFinished(() => connection.close());
  await connection.command(
    'INSERT INTO entries SELECT * REPLACE (cost + 1 AS cost, id + 1000 AS id) FROM entries WHERE correction = 0 LIMIT 1',
  );
  await expect(moveEntries({ ...given, onProgress: () => {} })).rejects.toThrow('The calls differ');
});

/** Runs a move, and `meanwhile` once it compares. */
async function moveWith(both: Both, meanwhile: () => Promise<unknown>): Promise<unknown> {
  let work: Promise<unknown> | null = null;
  const moving = moveEntries({
    ...both,
    clock: () => FIRST_DAY,
    batchCallsMax: 1,
    onProgress: async ({ step }) => {
      if (step === 'compare') await (work ??= meanwhile());
    },
  });
  return await moving.catch((error: unknown) => error);
}

async function execute({ databaseUrl }: Both, statement: string): Promise<readonly unknown[]> {
  const client = new Client(databaseUrl);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end();
  }
}

const COUNT = 'SELECT count(*)::integer AS calls FROM entries';

test('while calls move, a second move and its end by --cancel are refused', async () => {
  const both = await fillPostgres();
  expect(await planEntriesMove(both.databaseUrl)).toMatchObject({ calls: CALLS });
  const refused: unknown[] = [];
  const moved = await moveWith(both, async () => {
    const again = moveEntries({ ...both, clock: () => FIRST_DAY, onProgress: () => {} });
    const settled = await Promise.allSettled([again, cancelMoveOfEntries(both.databaseUrl)]);
    for (const one of settled) refused.push(one.status === 'rejected' ? String(one.reason) : one.value);
  });
  expect(refused).toEqual([expect.stringContaining('runs on this database'), expect.stringContaining('Wait')]);
  expect(moved).toMatchObject({ tables: [{ rows: CALLS + 3 }] });
  await expect(planEntriesMove(both.databaseUrl)).rejects.toThrow('in ClickHouse already');
});

test.each([
  ['was canceled', "DELETE FROM settings WHERE name = 'move.entries'"],
  ['has got more calls', 'UPDATE adjustments SET id = id + 1000 WHERE entry = (SELECT min(id) FROM entries)'],
])('PostgreSQL keeps its calls if the move %s before its end', async (what, statement) => {
  const both = await fillPostgres();
  expect(String(await moveWith(both, () => execute(both, statement)))).toContain(what);
  expect(await execute(both, COUNT)).toEqual([{ calls: CALLS }]);
});

test('a move that has begun goes on in the same database of ClickHouse only', async () => {
  const both = await fillPostgres();
  const given = { ...both, clock: () => FIRST_DAY, batchCallsMax: BATCH_CALLS };
  const stop = (): never => {
    throw new StopsHere();
  };
  await expect(moveEntries({ ...given, onProgress: stop })).rejects.toThrow(StopsHere);
  await expect(moveEntries({ ...given, onProgress: stop })).rejects.toThrow(StopsHere);
  const other = { ...given, clickhouseUrl: await temporaryClickhouse(), onProgress: () => {} };
  await expect(moveEntries(other)).rejects.toThrow('into another one has begun');
  await cancelMoveOfEntries(both.databaseUrl);
  expect(await moveEntries(other)).toMatchObject({ tables: [{ rows: CALLS + 3 }] });
});
