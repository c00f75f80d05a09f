import { type Kysely, sql } from 'kysely';
import type { Clock } from '../../lib/clock.ts';
import { ATTEMPT_KEYS_MAX, AttemptLimit } from '../../lib/concurrency/attempt-limit.ts';
import type { RecordDb } from './tables.ts';

/** A maximum of attempts in a window, which begins with the first of them. */
export interface AttemptRule {
  /** Identifies the counts of this rule. */
  readonly name: string;
  readonly max: number;
  readonly windowMs: number;
}

/** Counts attempts by key, and remembers keys that had success. Both forget the oldest keys when they have too many. */
export interface AttemptRecords {
  /** Takes one attempt. @returns ms until the next one is allowed; 0 = this one is */
  take(rule: AttemptRule, key: string): Promise<number>;
  /** Drops the count of a key after an attempt that succeeded. */
  forget(rule: AttemptRule, key: string): Promise<void>;
  /** Drops the counts of all keys with this beginning. */
  forgetAll(rule: AttemptRule, beginning: string): Promise<void>;
  remember(key: string): Promise<void>;
  isRemembered(key: string): Promise<boolean>;
}

/** Returns counts in the memory of this process. */
export function attemptsInMemory(clock: Clock, rememberedMax = ATTEMPT_KEYS_MAX): AttemptRecords {
  const limits = new Map<string, AttemptLimit>();
  const remembered = new Set<string>();
  const limitOf = ({ name, max, windowMs }: AttemptRule): AttemptLimit => {
    const limit = limits.get(name) ?? new AttemptLimit(max, windowMs);
    limits.set(name, limit);
    return limit;
  };
  return {
    take: async (rule, key) => limitOf(rule).take(key, clock()),
    forget: async (rule, key) => limitOf(rule).forget(key),
    forgetAll: async (rule, beginning) => limitOf(rule).forgetMatching((key) => key.startsWith(beginning)),
    async remember(key) {
      remembered.delete(key);
      remembered.add(key);
      for (const oldest of remembered) {
        if (remembered.size <= rememberedMax) break;
        remembered.delete(oldest);
      }
    },
    isRemembered: async (key) => remembered.has(key),
  };
}

/** Only in databases that several processes use. */
type AttemptTables = {
  attempts: { rule: string; key: string; count: number; ends_at: number };
};

/** Rule of the rows for remembered keys; `ends_at` is the time of their last success. */
const REMEMBERED = 'remembered';

/** Returns counts in the database, for all processes that use it. */
export function attemptRows(recordDb: RecordDb, clock: Clock, rememberedMax = ATTEMPT_KEYS_MAX): AttemptRecords {
  const db = recordDb.withTables<AttemptTables>();
  return {
    async take({ name, max, windowMs }, key) {
      const now = clock();
      const { count, ends_at } = await takeRow(db, { rule: name, key, max, now, endsAt: now + windowMs });
      if (count === 1) await dropOld(db, name, now, ATTEMPT_KEYS_MAX);
      return count > max ? ends_at - now : 0;
    },
    async forget({ name }, key) {
      await db.deleteFrom('attempts').where('rule', '=', name).where('key', '=', key).execute();
    },
    async forgetAll({ name }, beginning) {
      const isOfThem = sql<boolean>`starts_with(key, ${beginning})`;
      await db.deleteFrom('attempts').where('rule', '=', name).where(isOfThem).execute();
    },
    async remember(key) {
      const now = clock();
      await db
        .insertInto('attempts')
        .values({ rule: REMEMBERED, key, count: 0, ends_at: now })
        .onConflict((conflict) => conflict.columns(['rule', 'key']).doUpdateSet({ ends_at: now }))
        .execute();
      await dropOld(db, REMEMBERED, 0, rememberedMax);
    },
    async isRemembered(key) {
      const row = db.selectFrom('attempts').select('key').where('rule', '=', REMEMBERED).where('key', '=', key);
      return (await row.executeTakeFirst()) !== undefined;
    },
  };
}

/** Counts one attempt, at most one more than allowed, in one statement: processes that do so concurrently miss none. */
async function takeRow(
  db: Kysely<AttemptTables>,
  { rule, key, max, now, endsAt }: { rule: string; key: string; max: number; now: number; endsAt: number },
): Promise<{ count: number; ends_at: number }> {
  const isOver = sql<boolean>`attempts.ends_at <= ${now}`;
  return await db
    .insertInto('attempts')
    .values({ rule, key, count: 1, ends_at: endsAt })
    .onConflict((conflict) =>
      conflict.columns(['rule', 'key']).doUpdateSet({
        count: sql<number>`CASE WHEN ${isOver} THEN 1 ELSE least(attempts.count + 1, ${max + 1}) END`,
        ends_at: sql<number>`CASE WHEN ${isOver} THEN ${endsAt} ELSE attempts.ends_at END`,
      }),
    )
    .returning(['count', 'ends_at'])
    .executeTakeFirstOrThrow();
}

/** Drops windows that are over, and the oldest of too many. */
async function dropOld(db: Kysely<AttemptTables>, rule: string, now: number, keysMax: number): Promise<void> {
  const rows = db.selectFrom('attempts').where('rule', '=', rule);
  const newest = rows.select('ends_at').orderBy('ends_at', 'desc').offset(keysMax).limit(1);
  const last = await newest.executeTakeFirst();
  await db
    .deleteFrom('attempts')
    .where('rule', '=', rule)
    .where('ends_at', '<=', Math.max(now, last?.ends_at ?? 0))
    .execute();
}
