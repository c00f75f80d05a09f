import { join } from 'node:path';
import type { Entry } from '../src/core/call.ts';
import { hashSecret } from '../src/lib/cipher.ts';
import { openEngine } from '../src/storage/open.ts';
import type { Engine } from '../src/storage/engine.ts';
import type { Db, Tables } from '../src/storage/records/tables.ts';
import { benchSecret } from './keys-and-limits.ts';

const ROWS_AT_ONCE = 500;
const DAY_MS = 86_400_000;

/** Fills the book of a data folder with so many wrapped keys, a limit of a day for each, and what those have counted. */
export async function fillBook(folder: string, count: number): Promise<void> {
  const engine = await openEngine({ databaseUrl: null, file: join(folder, 'book.db'), synchronous: 'normal' });
  const model = await engine.db.selectFrom('wrapped_keys').selectAll().executeTakeFirstOrThrow();
  for (let from = 0; from < count; from += ROWS_AT_ONCE) {
    const numbers = Array.from({ length: Math.min(ROWS_AT_ONCE, count - from) }, (_, index) => from + index);
    await insertKeys(engine.db, model, numbers);
    await insertLimits(engine.db, model.workspace_id, numbers);
    await countCall(engine, model.workspace_id, numbers);
  }
  await engine.close();
}

async function insertKeys(db: Db, model: Tables['wrapped_keys'], numbers: readonly number[]): Promise<void> {
  const rows = numbers.map((number) => ({
    ...model,
    id: keyId(number),
    name: `bench ${number}`,
    hash: hashSecret(benchSecret(number)),
  }));
  await db.insertInto('wrapped_keys').values(rows).execute();
}

async function insertLimits(db: Db, workspaceId: string, numbers: readonly number[]): Promise<void> {
  const rows = numbers.map((number) => ({
    id: `lim_${number}`,
    counter: counterOf(number),
    workspace_id: workspaceId,
    kind: 'key',
    scope: JSON.stringify({ kind: 'key', keyId: keyId(number) }),
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
async function countCall({ store }: Engine, workspaceId: string, numbers: readonly number[]): Promise<void> {
  const now = Date.now();
  const windowStart = now - (now % DAY_MS);
  const amounts = { usd: 1_000_000, inputTokens: 250, outputTokens: 40 };
  const entry: Entry = {
    callId: `call_${numbers[0]}`,
    workspaceId,
    keyId: keyId(0),
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

function keyId(number: number): string {
  return `key_bench${String(number).padStart(17, '0')}`;
}

function counterOf(number: number): number {
  return number + 1;
}
