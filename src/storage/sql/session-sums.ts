import {
  emptySum,
  addTotals,
  isEmptySum,
  type UsageTotals,
  type MutableTotals,
} from '../../domain/usage/usage-totals.ts';
import { LOCAL_SOURCES, readSourceModel } from '../../domain/sessions/local-call.ts';
import { storedWord } from '../records/stored-word.ts';
import { floor, splitRange } from '../range-segments.ts';
import { UNPROXIED_MEASURES } from '../totals.ts';
import type { SqlContext } from './entry-table.ts';
import { addColumns, askSums, insertRows, type RowInsert, type SqlSteps } from './steps.ts';
import type { ResultRow } from './result-row.ts';
import { listMeasures, readTotals } from './totals-row.ts';
import { DAY_MS, HOUR_MS } from '../../domain/time/units.ts';
import type { Period } from '../../domain/time/period.ts';
import type { SessionSum } from '../session-store.ts';

const MEASURES = Object.values(UNPROXIED_MEASURES);
const KEY = ['workspace', 'start', 'source', 'token', 'model'];
const GRAINS = [
  { ms: HOUR_MS, add: upsert('session_hour') },
  { ms: DAY_MS, add: upsert('session_day') },
] as const;
const SELECTS = { hour: select('session_hour'), day: select('session_day') };

function upsert(table: string): RowInsert {
  const onConflict = `ON CONFLICT (${KEY.join(', ')}) DO UPDATE SET ${addColumns(table, MEASURES)}`;
  return { table, columns: [...KEY, ...MEASURES], keyColumns: KEY.length, onConflict, returning: [] };
}

function select(table: string): string {
  return `SELECT source, token, model, ${MEASURES.map((one) => `sum(${one}) AS ${one}`).join(', ')} FROM ${table}
    WHERE workspace = ? AND start >= ? AND start < ? GROUP BY source, token, model`;
}

/** Key of a record in sums of sessions: its time, and numbers of names. */
export interface RecordPlace {
  readonly workspace: number;
  readonly at: number;
  readonly source: number;
  readonly token: number;
  readonly model: number;
}

/** Collects changes of the session roll-ups, so that each row is written once. */
export class SessionSums {
  readonly #moved = GRAINS.map(({ ms, add }) => ({ ms, add, sums: new Map<string, MovedSum>() }));

  add({ workspace, at, source, token, model }: RecordPlace, totals: UsageTotals, sign: 1 | -1 = 1): void {
    for (const { ms, sums } of this.#moved) {
      const key = [workspace, floor(at, ms), source, token, model];
      const name = key.join(' ');
      let moved = sums.get(name);
      if (!moved) sums.set(name, (moved = { key, totals: emptySum() }));
      addTotals(moved.totals, totals, sign);
    }
  }

  *write(): SqlSteps<void> {
    for (const { add, sums } of this.#moved) {
      const changed = [...sums.values()].filter(({ totals }) => !isEmptySum(totals));
      yield* insertRows(
        add,
        Array.from(changed, ({ key, totals }) => [...key, ...listMeasures(totals, UNPROXIED_MEASURES)]),
      );
    }
  }
}

interface MovedSum {
  readonly key: readonly number[];
  readonly totals: MutableTotals;
}

/**
 * Returns sums by source, token and model. Records cover at least an hour, so every hour counts as a whole, at its
 * start.
 */
export function* readSessionSums({ names }: SqlContext, workspaceId: string, range: Period): SqlSteps<SessionSum[]> {
  const workspace = yield* names.find(workspaceId);
  if (workspace === undefined) return [];
  const groups = new Map<string, { readonly row: ResultRow; readonly totals: MutableTotals }>();
  for (const { from, start, end } of splitRange(range, Infinity)) {
    for (const row of yield askSums(from === 'day' ? SELECTS.day : SELECTS.hour, [workspace, start, end])) {
      const key = [row['source'], row['token'], row['model']].join(' ');
      let group = groups.get(key);
      if (!group) groups.set(key, (group = { row, totals: emptySum() }));
      addTotals(group.totals, readTotals(row, UNPROXIED_MEASURES));
    }
  }
  const found = [...groups.values()].filter(({ totals }) => !isEmptySum(totals));
  const textOf = yield* names.texts(found.flatMap(({ row }) => [row['source'], row['token'], row['model']]));
  const nameOf = (id: unknown): string => textOf(id) ?? '';
  return found.map(({ row, totals }) => {
    const source = storedWord(LOCAL_SOURCES, nameOf(row['source']));
    const { provider, name } = readSourceModel(source, nameOf(row['model']));
    return { source, assistant: source, tokenId: nameOf(row['token']), provider, model: name, totals };
  });
}
