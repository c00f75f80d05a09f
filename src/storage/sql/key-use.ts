import type { Entry } from '../../domain/usage/call.ts';
import { type GatewayTerms, type GatewayUse, USAGE_CERTAINTIES } from '../../domain/reconciliation/gateway-use.ts';
import { type CostProvenance, formatProvenance, parseProvenance } from '../../domain/pricing/provenance.ts';
import { endsLate, type EntryUse, keyUseParts } from '../key-use.ts';
import { ceil, floor } from '../range-segments.ts';
import type { NameSources } from './entry-rows.ts';
import { CLASS_COLUMN_NAMES, classAmounts, rareAmounts, readAmounts } from './class-columns.ts';
import { modelPlacement } from './rollup-caps.ts';
import { type IdOf, NO_NAME, type TextOf } from './name-table.ts';
import { markClosedDays } from './unproxied-usage.ts';
import { DAY_MS } from '../../domain/time/units.ts';
import { perDialect } from './dialect.ts';
import type { EntryReader } from './entry-reader.ts';
import { addColumns, ask, askLists, change, insertRows, lists, type RowInsert, type SqlSteps } from './steps.ts';
import { numberAt } from './result-row.ts';
import type { Period } from '../../domain/time/period.ts';
import type { KeyUse } from '../usage-queries.ts';

const KEY = ['workspace', 'start', 'key', 'model', 'call_model', 'terms'];
const DAY = KEY.indexOf('start');
const ADDED = ['calls', 'failed_calls', 'cost', 'uncertain_up_to', ...CLASS_COLUMN_NAMES];
const PLACE = KEY.map((one) => `${one} = ?`).join(' AND ');
const statementsOf = (table: string) => ({
  add: {
    table,
    columns: [...KEY, ...ADDED],
    keyColumns: KEY.length,
    onConflict: `ON CONFLICT (${KEY.join(', ')}) DO UPDATE SET ${addColumns(table, ADDED)}`,
    returning: [],
  } satisfies RowInsert,
  others: `SELECT others FROM ${table} WHERE ${PLACE}`,
  keepOthers: `UPDATE ${table} SET others = ? WHERE ${PLACE}`,
});
/** Calls by the day on which they started, and again if they ran past its end. */
const INTO = { day: statementsOf('key_use_day'), late: statementsOf('key_use_late') };

type RareAmounts = Record<string, number>;

interface KeyUseRow {
  readonly into: keyof typeof INTO;
  readonly place: readonly number[];
  readonly added: number[];
  readonly rare: RareAmounts;
}

interface AddedUse {
  readonly entry: Entry;
  readonly use: EntryUse;
  readonly sign: 1 | -1;
}

/**
 * Collects the use of wrapped keys by the entries of a transaction. `write` adds it to the days and marks closed days
 * for computing again.
 */
export class KeyUseBatch {
  readonly #words: NameSources;
  readonly #uses: AddedUse[] = [];

  constructor(words: NameSources) {
    this.#words = words;
  }

  /** Adds an entry; `sign` -1 removes what it added before. */
  add(entry: Entry, provenance: CostProvenance | null, sign: 1 | -1 = 1): void {
    for (const use of keyUseParts(entry, provenance)) this.#uses.push({ entry, use, sign });
  }

  /** Writes what was added. Call it before roll-ups are written. */
  *write(): SqlSteps<void> {
    const { names, caps } = this.#words;
    const workspaces = yield* names.ids(new Set(this.#uses.map(({ entry }) => entry.workspaceId)));
    const placements = this.#uses.map(({ entry }) => modelPlacement(workspaces.get(entry.workspaceId) ?? 0, entry));
    yield* caps.place(placements);
    const rows = yield* names.resolve((idOf) => {
      const sums = new KeyUseSums();
      for (const [index, one] of this.#uses.entries()) {
        const model = caps.numberOf(placements[index] ?? null);
        sums.add(one, keyUsePlace(one, idOf, model));
      }
      return sums.rows;
    });
    yield* markClosedDays(new Set(rows.map(({ place }) => place[DAY] ?? 0)));
    for (const into of ['day', 'late'] as const) {
      const own = rows.filter((row) => row.into === into);
      yield* insertRows(
        INTO[into].add,
        own.map(({ place, added }) => place.concat(added)),
      );
    }
    for (const row of rows) if (Object.values(row.rare).some((count) => count !== 0)) yield* addRare(row);
  }
}

/** Adds amounts of classes without a column. */
function* addRare({ into, place, rare }: KeyUseRow): SqlSteps<void> {
  const { others: read, keepOthers } = INTO[into];
  const [row] = yield ask(read, place);
  const known = row?.['others'];
  const all: RareAmounts = typeof known === 'string' ? (JSON.parse(known) as RareAmounts) : {};
  for (const [one, count] of Object.entries(rare)) all[one] = (all[one] ?? 0) + count;
  const left = Object.entries(all).filter(([, count]) => count !== 0);
  const others = left.length === 0 ? null : JSON.stringify(Object.fromEntries(left));
  yield* change(keepOthers, [others, ...place]);
}

class KeyUseSums {
  readonly rows: KeyUseRow[] = [];
  readonly #latest = new Map<string, KeyUseRow>();

  add({ entry, use, sign }: AddedUse, place: readonly number[]): void {
    this.#addTo('day', place, use, sign);
    if (endsLate(entry)) this.#addTo('late', place, use, sign);
  }

  #addTo(into: KeyUseRow['into'], place: readonly number[], use: EntryUse, sign: 1 | -1): void {
    const { calls, failedCalls, cost, uncertainUpTo, amounts } = use;
    const added = [calls, failedCalls, cost, uncertainUpTo, ...classAmounts(amounts)];
    const row = this.#rowOf(into, place, added, sign);
    for (let i = 0; i < added.length; i += 1) row.added[i] = (row.added[i] ?? 0) + sign * (added[i] ?? 0);
    for (const [one, count] of rareAmounts(amounts)) row.rare[one] = (row.rare[one] ?? 0) + sign * count;
  }

  /** Starts another sum where the addition would not be exact. */
  #rowOf(into: KeyUseRow['into'], place: readonly number[], added: readonly number[], sign: 1 | -1): KeyUseRow {
    const name = `${into} ${place.join(' ')}`;
    const latest = this.#latest.get(name);
    if (latest?.added.every((sum, index) => Number.isSafeInteger(sum + sign * (added[index] ?? 0)))) return latest;
    const row = { into, place, added: added.map(() => 0), rare: {} };
    this.#latest.set(name, row);
    this.rows.push(row);
    return row;
  }
}

/** @param callModel number under which the model of the call is counted */
function keyUsePlace({ entry, use }: AddedUse, idOf: IdOf, callModel: number): number[] {
  // Clients choose the model of a call, which is why a day has so many at most; those inside it are the provider's.
  const numberOf = (of: string | null): number => {
    if (of === null) return NO_NAME;
    return of === entry.model ? callModel : idOf(of.toWellFormed());
  };
  const day = floor(entry.startedAt, DAY_MS);
  const { model, callModel: named, terms } = use;
  return [idOf(entry.workspaceId), day, idOf(entry.keyId), numberOf(model), numberOf(named), idOf(termsText(terms))];
}

/** Serializes terms as one name, because there are few. */
function termsText({ provider, tier, geo, speed, step, provenance, certainty }: GatewayTerms): string {
  const from = provenance && formatProvenance(provenance);
  return JSON.stringify([provider, tier, geo, speed, step, from, USAGE_CERTAINTIES.indexOf(certainty)]);
}

function parseTerms(text: string): GatewayTerms {
  const [provider, tier, geo, speed, step, from, found] = JSON.parse(text) as [
    string,
    string,
    string,
    string,
    number,
    string | null,
    number,
  ];
  const provenance = from === null ? null : parseProvenance(from);
  return { provider, tier, geo, speed, step, provenance, certainty: USAGE_CERTAINTIES[found] ?? 'at_most' };
}

/** Days per turn; between turns other work runs. */
const SLICE_DAYS = 7;
const SQL = perDialect((dialect) => {
  const keyUsesOf = (
    table: string,
  ): string => `SELECT start, key, model, call_model, terms, others, calls, failed_calls, ${dialect.exactInteger('cost')},
      ${dialect.exactInteger('uncertain_up_to')}, ${CLASS_COLUMN_NAMES.join(', ')}
    FROM ${table} WHERE workspace = ? AND start >= ? AND start < ?`;
  return { all: keyUsesOf('key_use_day'), late: keyUsesOf('key_use_late') };
});
const FIRST_AMOUNT = 10;

/** Columns of a row that are numbers of names. */
const NAMED = [1, 2, 3, 4];

/** Reads use by day; `late` = only calls that ran past the end of their day. */
export function* readKeyUses(
  { names, dialect }: EntryReader,
  workspaceId: string,
  range: Period,
  which: 'all' | 'late' = 'all',
): SqlSteps<KeyUse[]> {
  const workspace = yield* names.find(workspaceId);
  const [start, end] = [ceil(range.start, DAY_MS), ceil(range.end, DAY_MS)];
  const found: KeyUse[] = [];
  if (workspace === undefined) return found;
  const known = new Map<unknown, GatewayTerms>();
  for (let from = start; from < end; from += SLICE_DAYS * DAY_MS) {
    const to = Math.min(end, from + SLICE_DAYS * DAY_MS);
    const rows = lists(yield askLists(SQL(dialect)[which], [workspace, from, to]));
    const nameOf = yield* names.textsIn(rows, NAMED);
    const termsAt = (id: unknown): GatewayTerms => {
      let terms = known.get(id);
      if (!terms) known.set(id, (terms = parseTerms(nameOf(id) ?? '')));
      return terms;
    };
    for (const row of rows) {
      const use = toKeyUse(row, nameOf, termsAt);
      if (!isNothing(use)) found.push(use);
    }
    if (to < end) yield;
  }
  return found;
}

function toKeyUse(row: readonly unknown[], nameOf: TextOf, termsAt: (id: unknown) => GatewayTerms): KeyUse {
  const [day, key, model, callModel, terms, others, , , cost, uncertainUpTo] = row;
  return {
    day: Number(day),
    keyId: nameOf(key) ?? '',
    model: nameOf(model),
    callModel: nameOf(callModel),
    terms: termsAt(terms),
    amounts: readAmounts(row, FIRST_AMOUNT, others),
    calls: numberAt(row, 6),
    failedCalls: numberAt(row, 7),
    cost: whole(cost),
    uncertainUpTo: whole(uncertainUpTo),
  };
}

function whole(value: unknown): bigint {
  return typeof value === 'number' ? BigInt(value) : BigInt(String(value));
}

/** Returns true for a row that corrections emptied. */
function isNothing({ calls, cost, amounts }: GatewayUse): boolean {
  return calls === 0 && cost === 0n && Object.keys(amounts).length === 0;
}
