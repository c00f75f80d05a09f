import type { Entry } from '../../domain/usage/call.ts';
import { type GatewayTerms, USAGE_CERTAINTIES } from '../../domain/reconciliation/gateway-use.ts';
import { formatProvenance, parseProvenance, type CostProvenance } from '../../domain/pricing/provenance.ts';
import { endsLate, type EntryUse, keyUseParts } from '../key-use.ts';
import { floor } from '../segments.ts';
import type { LedgerDatabase } from './book.ts';
import { NO_NAME } from './names.ts';
import { unsettleClosed } from './report-rest.ts';
import { DAY_MS } from '../../domain/time/units.ts';

/** Classes with a column of their own; the rest is rare and stands in `others` as JSON. */
export const USE_COLUMNS = {
  input: 'input',
  cacheRead: 'cache_read',
  cacheWrite: 'cache_write',
  cacheWrite5m: 'cache_write_5m',
  cacheWrite1h: 'cache_write_1h',
  output: 'output',
  webSearch: 'web_searches',
} as const;
const CLASSES = Object.keys(USE_COLUMNS) as (keyof typeof USE_COLUMNS)[];
const KEY = ['workspace', 'start', 'key', 'model', 'call_model', 'terms'];
const DAY = KEY.indexOf('start');
const ADDED = ['calls', 'failed_calls', 'cost', 'uncertain_up_to', ...Object.values(USE_COLUMNS)];
const PLACE = KEY.map((one) => `${one} = ?`).join(' AND ');
const statementsOf = (table: string) => ({
  add: `INSERT INTO ${table} (${[...KEY, ...ADDED].join(', ')})
    VALUES (${[...KEY, ...ADDED].map(() => '?').join(', ')})
    ON CONFLICT (${KEY.join(', ')}) DO UPDATE SET ${ADDED.map((one) => `${one} = ${one} + excluded.${one}`).join(', ')}`,
  others: `SELECT others FROM ${table} WHERE ${PLACE}`,
  keepOthers: `UPDATE ${table} SET others = ? WHERE ${PLACE}`,
});
/** Calls by the day of their begin, and of these once more those that were under way at its end. */
const INTO = { day: statementsOf('key_use_day'), late: statementsOf('key_use_late') };

type RareAmounts = Record<string, number>;

interface KeyUseRow {
  readonly into: keyof typeof INTO;
  readonly place: readonly number[];
  readonly added: number[];
  readonly rare: RareAmounts;
}

/** Collects what the entries of a transaction used, by wrapped key; `write` adds it to the days, of which the closed are to be settled anew. */
export class KeyUseBatch {
  readonly #book: LedgerDatabase;
  readonly #rows: KeyUseRow[] = [];
  readonly #latest = new Map<string, KeyUseRow>();

  constructor(book: LedgerDatabase) {
    this.#book = book;
  }

  /** `sign` -1: the book does not believe this any more. To be called before roll-ups are written. */
  add(entry: Entry, provenance: CostProvenance | null, sign: 1 | -1 = 1): void {
    const isLate = endsLate(entry);
    for (const use of keyUseParts(entry, provenance)) {
      const place = this.#placeOf(entry, use);
      this.#addTo('day', place, use, sign);
      if (isLate) this.#addTo('late', place, use, sign);
    }
  }

  #addTo(into: KeyUseRow['into'], place: readonly number[], use: EntryUse, sign: 1 | -1): void {
    const { calls, failedCalls, cost, uncertainUpTo, amounts } = use;
    const added = [calls, failedCalls, cost, uncertainUpTo, ...CLASSES.map((one) => amounts[one] ?? 0)];
    const row = this.#rowOf(into, place, added, sign);
    for (let i = 0; i < added.length; i += 1) row.added[i] = (row.added[i] ?? 0) + sign * (added[i] ?? 0);
    for (const [one, count] of Object.entries(amounts))
      if (!Object.hasOwn(USE_COLUMNS, one)) row.rare[one] = (row.rare[one] ?? 0) + sign * count;
  }

  write(): void {
    const { connection } = this.#book;
    unsettleClosed(connection, new Set(this.#rows.map(({ place }) => place[DAY] ?? 0)));
    for (const { into, place, added, rare } of this.#rows) {
      const { add, others: read, keepOthers } = INTO[into];
      connection.statement(add).run(...place, ...added);
      if (Object.values(rare).every((count) => count === 0)) continue;
      const known = connection.statement(read).get(...place)?.['others'];
      const all: RareAmounts = typeof known === 'string' ? (JSON.parse(known) as RareAmounts) : {};
      for (const [one, count] of Object.entries(rare)) all[one] = (all[one] ?? 0) + count;
      const left = Object.entries(all).filter(([, count]) => count !== 0);
      const others = left.length === 0 ? null : JSON.stringify(Object.fromEntries(left));
      connection.statement(keepOthers).run(others, ...place);
    }
  }

  /** A sum that would not be exact is left as it is, and another one begun. */
  #rowOf(into: KeyUseRow['into'], place: readonly number[], added: readonly number[], sign: 1 | -1): KeyUseRow {
    const name = `${into} ${place.join(' ')}`;
    const latest = this.#latest.get(name);
    if (latest?.added.every((sum, index) => Number.isSafeInteger(sum + sign * (added[index] ?? 0)))) return latest;
    const row = { into, place, added: added.map(() => 0), rare: {} };
    this.#latest.set(name, row);
    this.#rows.push(row);
    return row;
  }

  #placeOf(entry: Entry, { model, callModel, terms }: EntryUse): number[] {
    const { names, caps } = this.#book;
    const workspace = names.id(entry.workspaceId);
    // Clients choose the model of a call, which is why a day has so many at most; those inside it are the provider's.
    const numberOf = (of: string | null): number => {
      if (of === null) return NO_NAME;
      return of === entry.model ? caps.placeModel(workspace, entry) : names.id(of.toWellFormed());
    };
    const day = floor(entry.startedAt, DAY_MS);
    const own = numberOf(model);
    return [workspace, day, names.id(entry.keyId), own, numberOf(callModel), names.id(termsText(terms))];
  }
}

/** Terms are few and stand in one name. */
function termsText({ provider, tier, geo, speed, step, provenance, tells }: GatewayTerms): string {
  const from = provenance && formatProvenance(provenance);
  return JSON.stringify([provider, tier, geo, speed, step, from, USAGE_CERTAINTIES.indexOf(tells)]);
}

export function parseTerms(text: string): GatewayTerms {
  const [provider, tier, geo, speed, step, from, told] = JSON.parse(text) as [
    string,
    string,
    string,
    string,
    number,
    string | null,
    number,
  ];
  const provenance = from === null ? null : parseProvenance(from);
  return { provider, tier, geo, speed, step, provenance, tells: USAGE_CERTAINTIES[told] ?? 'at_most' };
}
