import {
  emptySum,
  addTotals,
  isEmptySum,
  type UsageTotals,
  type MutableTotals,
} from '../../domain/usage/usage-totals.ts';
import { PROVIDER_OF_SOURCE } from '../../domain/sessions/local-call.ts';
import { floor, splitRange } from '../range-segments.ts';
import { UNPROXIED_MEASURES } from '../totals.ts';
import type { LedgerDatabase } from '../sqlite/ledger-database.ts';
import type { SqliteConnection } from '../sqlite/connection.ts';
import { number, type ResultRow, text } from './result-row.ts';
import { unproxiedMeasures, readSource, readUnproxiedTotals } from './session-totals-row.ts';
import { DAY_MS, HOUR_MS } from '../../domain/time/units.ts';
import type { Period } from '../../domain/time/period.ts';
import type { SessionSum } from '../session-store.ts';

const MEASURES = Object.values(UNPROXIED_MEASURES);
const KEY = ['workspace', 'start', 'source', 'token', 'model'];

const GRAINS = [
  { table: 'session_hour', ms: HOUR_MS },
  { table: 'session_day', ms: DAY_MS },
] as const;

function upsert(table: string): string {
  const columns = [...KEY, ...MEASURES];
  return `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})
    ON CONFLICT (${KEY.join(', ')}) DO UPDATE SET ${MEASURES.map((one) => `${one} = ${one} + excluded.${one}`).join(', ')}`;
}

function select(table: string): string {
  return `SELECT source, token, model, ${MEASURES.map((one) => `sum(${one}) AS ${one}`).join(', ')} FROM ${table}
    WHERE workspace = ? AND start >= ? AND start < ? GROUP BY source, token, model`;
}

const UPSERTS = GRAINS.map(({ table, ms }) => ({ sql: upsert(table), ms }));
const SELECTS = { hour: select('session_hour'), day: select('session_day') };
const NAME = 'SELECT text FROM names WHERE id = ?';

type SessionKey = readonly [workspace: number, start: number, source: number, token: number, model: number];

/** Collects changes of the session roll-ups, so that each row is written once. */
export class SessionSums {
  readonly #moved = new Map<string, { readonly key: SessionKey; totals: MutableTotals }>();

  /** Adds the totals of a row of `session_records`. */
  add(row: ResultRow, totals: UsageTotals, sign: 1 | -1): void {
    const start = floor(number(row, 'at'), HOUR_MS);
    const key: SessionKey = [
      number(row, 'workspace'),
      start,
      number(row, 'source'),
      number(row, 'token'),
      number(row, 'model'),
    ];
    const name = key.join(' ');
    let moved = this.#moved.get(name);
    if (!moved) this.#moved.set(name, (moved = { key, totals: emptySum() }));
    addTotals(moved.totals, totals, sign);
  }

  write(connection: SqliteConnection): void {
    for (const { key, totals } of this.#moved.values()) {
      const measures = unproxiedMeasures(totals);
      if (measures.every((value) => Number(value) === 0)) continue;
      const [workspace, start, ...rest] = key;
      for (const { sql, ms } of UPSERTS)
        connection.statement(sql).run(workspace, floor(start, ms), ...rest, ...measures);
    }
  }
}

/**
 * Returns sums by source, token and model. Records cover at least an hour, so every hour counts as a whole, at its
 * start.
 */
export function sessionSums({ connection, names }: LedgerDatabase, workspaceId: string, range: Period): SessionSum[] {
  const workspace = names.find(workspaceId);
  if (workspace === undefined) return [];
  const groups = new Map<string, { readonly row: ResultRow; readonly totals: MutableTotals }>();
  for (const { from, start, end } of splitRange(range, Infinity)) {
    const rows = connection.sumStatement(from === 'day' ? SELECTS.day : SELECTS.hour).all(workspace, start, end);
    for (const row of rows) {
      const key = [row['source'], row['token'], row['model']].join(' ');
      let group = groups.get(key);
      if (!group) groups.set(key, (group = { row, totals: emptySum() }));
      addTotals(group.totals, readUnproxiedTotals(row));
    }
  }
  const nameOf = (id: unknown): string => text(connection.statement(NAME).get(Number(id)) ?? {}, 'text');
  return [...groups.values()].flatMap(({ row, totals }) => {
    if (isEmptySum(totals)) return [];
    const source = readSource(nameOf(row['source']));
    const [tokenId, model] = [nameOf(row['token']), nameOf(row['model'])];
    return [{ source, tokenId, provider: PROVIDER_OF_SOURCE[source], model, totals }];
  });
}
