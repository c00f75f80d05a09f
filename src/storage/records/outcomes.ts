import { type Expression, sql } from 'kysely';
import {
  OUTCOME_KINDS,
  type OutcomeDay,
  type OutcomeKind,
  outcomeDay,
  type ReportedOutcome,
} from '../../domain/observed/outcome.ts';
import type { CodingAssistant } from '../../domain/observed/observed-call.ts';
import type { Period } from '../../domain/time/period.ts';
import type { RecordContext } from './context.ts';
import type { RecordDb, RecordTables } from './tables.ts';

/** Outcomes that assistants report by metrics. Each counter has a row per day; old counters are folded into sums. */
export interface OutcomeRecords {
  /** Stores points, in any order. Known points change nothing. */
  record(workspaceId: string, outcomes: readonly ReportedOutcome[]): Promise<void>;
  /** Returns the days that begin in a period, oldest first; by session too if asked. */
  list(workspaceId: string, range: Period, by: OutcomeGroup): Promise<OutcomeDay[]>;
  /** Folds at most `limit` counters without a point since `before` into sums of their days, without sessions. Returns how many. */
  prune(workspaceId: string, before: number, limit: number): Promise<number>;
}

type OutcomeRow = RecordTables['observed_outcomes'];
type DaySum = Pick<OutcomeRow, 'day' | 'token_id' | 'assistant' | 'session' | 'kind' | 'amount'>;

const ROWS_PER_STATEMENT = 500;
/** Counter of folded sums. */
const FOLDED = '';

/** Parts of a day by which outcomes are summed. */
type OutcomeGroup = 'assistant' | 'session';

export function outcomeRecords({ db }: RecordContext): OutcomeRecords {
  return {
    async record(workspaceId, outcomes) {
      const rows = highestByDay(workspaceId, outcomes);
      for (let from = 0; from < rows.length; from += ROWS_PER_STATEMENT)
        await insertOutcomes(db, rows.slice(from, from + ROWS_PER_STATEMENT));
    },
    async list(workspaceId, { start, end }, by) {
      const session = by === 'session' ? sql<string | null>`session` : sql<null>`NULL`;
      const sums = await db
        .selectFrom((inner) =>
          inner
            .selectFrom(gains(db, workspaceId))
            .select(['day', 'token_id', 'assistant', session.as('session'), 'kind', 'gain'])
            .where('day', '>=', start)
            .where('day', '<', end)
            .as('gained'),
        )
        .select(['day', 'token_id', 'assistant', 'session', 'kind'])
        .select(sql<number>`CAST(SUM(gain) AS BIGINT)`.as('amount'))
        .groupBy(['day', 'token_id', 'assistant', 'session', 'kind'])
        .orderBy('day')
        .orderBy('token_id')
        .orderBy('assistant')
        .orderBy(sql`COALESCE(session, '')`)
        .execute();
      return buildDays(sums);
    },
    prune: (workspaceId, before, limit) =>
      db.transaction().execute((tx) => foldCounters(tx, workspaceId, before, limit)),
  };
}

/** Returns one row for each counter and day; one statement can't change a row twice. */
function highestByDay(workspaceId: string, outcomes: readonly ReportedOutcome[]): OutcomeRow[] {
  const rows = new Map<string, OutcomeRow>();
  for (const { series, kind, assistant, tokenId, session, at, amount } of outcomes) {
    const day = outcomeDay(at);
    const key = `${series} ${day}`;
    const highest = Math.max(amount, rows.get(key)?.amount ?? 0);
    const counter = { workspace_id: workspaceId, series, token_id: tokenId, assistant, session, kind };
    rows.set(key, { ...counter, day, amount: highest });
  }
  return [...rows.values()];
}

async function insertOutcomes(db: RecordDb, rows: readonly OutcomeRow[]): Promise<void> {
  await db
    .insertInto('observed_outcomes')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['workspace_id', 'series', 'day', 'token_id', 'assistant', 'kind']).doUpdateSet({
        amount: sql`CASE WHEN excluded.amount > observed_outcomes.amount THEN excluded.amount ELSE observed_outcomes.amount END`,
      }),
    )
    .execute();
}

/** Returns a query of what each counter gained on each of its days. @param only the counters; absent = all */
function gains(db: RecordDb, workspaceId: string, only?: readonly string[]) {
  const before: Expression<number> = sql`COALESCE(LAG(amount) OVER (PARTITION BY series ORDER BY day), 0)`;
  const gain = sql<number>`CASE WHEN series = ${FOLDED} THEN amount WHEN amount < ${before} THEN 0 ELSE amount - ${before} END`;
  let rows = db
    .selectFrom('observed_outcomes')
    .select(['workspace_id', 'token_id', 'assistant', 'session', 'kind', 'day', gain.as('gain')])
    .where('workspace_id', '=', workspaceId);
  if (only) rows = rows.where('series', 'in', only);
  return rows.as('gains');
}

async function foldCounters(tx: RecordDb, workspaceId: string, before: number, limit: number): Promise<number> {
  const old = await tx
    .selectFrom('observed_outcomes')
    .select('series')
    .where('workspace_id', '=', workspaceId)
    .where('series', '<>', FOLDED)
    .groupBy('series')
    .having(sql`MAX(day)`, '<', before)
    .limit(Math.min(limit, ROWS_PER_STATEMENT))
    .execute();
  const series = old.map((row) => row.series);
  if (series.length === 0) return 0;
  await tx
    .insertInto('observed_outcomes')
    .columns(['workspace_id', 'series', 'token_id', 'assistant', 'kind', 'day', 'amount'])
    .expression(
      tx
        .selectFrom(gains(tx, workspaceId, series))
        .select(['workspace_id', sql<string>`''`.as('series'), 'token_id', 'assistant', 'kind', 'day'])
        .select(sql<number>`CAST(SUM(gain) AS BIGINT)`.as('amount'))
        .where(sql<boolean>`1 = 1`)
        .groupBy(['workspace_id', 'token_id', 'assistant', 'kind', 'day']),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'series', 'day', 'token_id', 'assistant', 'kind'])
        .doUpdateSet({ amount: sql`observed_outcomes.amount + excluded.amount` }),
    )
    .execute();
  await tx
    .deleteFrom('observed_outcomes')
    .where('workspace_id', '=', workspaceId)
    .where('series', 'in', series)
    .execute();
  return series.length;
}

/** Builds days from sums of kinds, in their order. */
function buildDays(sums: readonly DaySum[]): OutcomeDay[] {
  const days = new Map<string, OutcomeDay & { readonly amounts: Record<OutcomeKind, number | null> }>();
  for (const { day, token_id: tokenId, assistant, session, kind, amount } of sums) {
    const key = JSON.stringify([day, tokenId, assistant, session]);
    const own = { day, tokenId, assistant: assistant as CodingAssistant, session };
    const known = days.get(key) ?? { ...own, amounts: noAmounts() };
    known.amounts[kind as OutcomeKind] = amount;
    days.set(key, known);
  }
  return [...days.values()];
}

function noAmounts(): Record<OutcomeKind, number | null> {
  return Object.fromEntries(OUTCOME_KINDS.map((kind) => [kind, null])) as Record<OutcomeKind, null>;
}
