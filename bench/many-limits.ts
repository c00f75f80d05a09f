import { NO_CONTEXT } from '../src/domain/usage/call-context.ts';
import { join } from 'node:path';
import type { Entry } from '../src/domain/usage/call.ts';
import { openEngine } from '../src/storage/open.ts';
import type { StorageEngine } from '../src/storage/engine.ts';
import type { RecordDb } from '../src/storage/records/tables.ts';
import { DAY_MS } from '../src/domain/time/units.ts';
import { DEFAULT_WORKSPACE } from '../src/storage/records/context.ts';

const ROWS_AT_ONCE = 500;

/** Many counters: of a limit for each user, or of few limits that count the values of a tag apart. */
export interface Crowd {
  readonly limits: number;
  readonly counters: number;
}

/** Fills the ledger of a data folder with limits per day and their counters. */
export async function fillLedger(folder: string, { limits, counters }: Crowd): Promise<void> {
  const engine = await openEngine({ databaseUrl: null, file: join(folder, 'ledger.db'), synchronous: 'normal' });
  const isEach = counters > limits;
  for (const numbers of batches(limits)) await insertLimits(engine.db, numbers, isEach);
  for (const numbers of batches(counters))
    await countCall(
      engine,
      numbers.map((number) => ({ counter: counterOf(number % limits), value: isEach ? `user-${number}` : '' })),
    );
  await engine.close();
}

function batches(count: number): number[][] {
  return Array.from({ length: Math.ceil(count / ROWS_AT_ONCE) }, (_, batch) => {
    const from = batch * ROWS_AT_ONCE;
    return Array.from({ length: Math.min(ROWS_AT_ONCE, count - from) }, (__, index) => from + index);
  });
}

async function insertLimits(db: RecordDb, numbers: readonly number[], isEach: boolean): Promise<void> {
  const rows = numbers.map((number) => ({
    id: `lim_${number}`,
    counter: counterOf(number),
    workspace_id: DEFAULT_WORKSPACE,
    kind: isEach ? 'each_tag' : 'tag',
    scope: JSON.stringify(
      isEach ? { kind: 'each_tag', key: `user${number}` } : { kind: 'tag', key: 'user', value: `user-${number}` },
    ),
    unit: 'usd',
    amount: 1_000_000_000,
    raise: null,
    window: 'day',
    action: 'block',
    thresholds: '[50,80,95]',
    uncertain: '"keep"',
    label: null,
    counts_observed: 0,
    backfilled: 1,
    created_at: 0,
  }));
  await db.insertInto('limits').values(rows).execute();
}

/** One call that counts under all of them. */
async function countCall(
  { store }: StorageEngine,
  counters: readonly { counter: number; value: string }[],
): Promise<void> {
  const now = Date.now();
  const name = `${counters[0]?.counter} ${counters[0]?.value}`;
  const windowStart = now - (now % DAY_MS);
  const amounts = { usd: 1_000_000, inputTokens: 250, outputTokens: 40 };
  const entry: Entry = {
    callId: `call_${name}`,
    workspaceId: DEFAULT_WORKSPACE,
    keyId: 'key_bench',
    provider: 'anthropic',
    operation: 'messages',
    requestedModel: 'claude-sonnet-4-5',
    stream: false,
    tags: {},
    sessionHash: null,
    context: NO_CONTEXT,
    shortenedTo: null,
    startedAt: now,
    hold: amounts,
    touched: counters.map(({ counter, value }) => ({ counter, unit: 'usd', windowStart, value })),
    endedAt: now,
    outcome: 'completed',
    uncertainReason: null,
    status: 200,
    usageSource: 'reported',
    usage: null,
    model: 'claude-sonnet-4-5',
    cost: amounts.usd,
    counted: amounts,
    provenance: null,
    requestId: null,
    responseId: null,
    firstByteMs: 0,
    source: 'proxy',
  };
  await store.entries.append({ journalId: name, mark: 1, entries: [entry] });
}

function counterOf(number: number): number {
  return number + 1;
}
