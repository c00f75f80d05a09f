import { join } from 'node:path';
import type { Entry } from '../src/core/call.ts';
import { openEngine } from '../src/storage/open.ts';
import type { Engine } from '../src/storage/engine.ts';
import { DEFAULT_WORKSPACE } from '../src/storage/records/records.ts';
import type { Db } from '../src/storage/records/tables.ts';

const ROWS_AT_ONCE = 500;
const DAY_MS = 86_400_000;

/** Fills the book of a data folder with so many limits of a day, one for each user, and what they have counted. */
export async function fillBook(folder: string, count: number): Promise<void> {
  const engine = await openEngine({ databaseUrl: null, file: join(folder, 'book.db'), synchronous: 'normal' });
  for (let from = 0; from < count; from += ROWS_AT_ONCE) {
    const numbers = Array.from({ length: Math.min(ROWS_AT_ONCE, count - from) }, (_, index) => from + index);
    await insertLimits(engine.db, numbers);
    await countCall(engine, numbers);
  }
  await engine.close();
}

async function insertLimits(db: Db, numbers: readonly number[]): Promise<void> {
  const rows = numbers.map((number) => ({
    id: `lim_${number}`,
    counter: counterOf(number),
    workspace_id: DEFAULT_WORKSPACE,
    kind: 'tag',
    scope: JSON.stringify({ kind: 'tag', key: 'user', value: `user-${number}` }),
    unit: 'usd',
    amount: 1_000_000_000,
    raise: null,
    window: 'day',
    action: 'block',
    thresholds: '[50,80,95]',
    uncertain: '"keep"',
    label: null,
    counts_past: 1,
    created_at: 0,
  }));
  await db.insertInto('limits').values(rows).execute();
}

/** One call that counts under all of them. */
async function countCall({ store }: Engine, numbers: readonly number[]): Promise<void> {
  const now = Date.now();
  const windowStart = now - (now % DAY_MS);
  const amounts = { usd: 1_000_000, inputTokens: 250, outputTokens: 40 };
  const entry: Entry = {
    callId: `call_${numbers[0]}`,
    workspaceId: DEFAULT_WORKSPACE,
    keyId: 'key_bench',
    provider: 'anthropic',
    operation: 'messages',
    askedModel: 'claude-sonnet-4-5',
    stream: false,
    tags: {},
    sessionHash: null,
    beganAt: now,
    hold: amounts,
    touched: numbers.map((number) => ({ counter: counterOf(number), unit: 'usd', windowStart, value: '' })),
    endedAt: now,
    outcome: 'completed',
    doubt: null,
    status: 200,
    usageSource: 'reported',
    usage: null,
    model: 'claude-sonnet-4-5',
    cost: amounts.usd,
    counted: amounts,
    priceVersion: null,
    requestId: null,
    responseId: null,
    firstByteMs: 0,
    source: 'proxy',
  };
  await store.entries.append({ journalId: 'bench', mark: counterOf(numbers[0] ?? 0), entries: [entry] });
}

function counterOf(number: number): number {
  return number + 1;
}
