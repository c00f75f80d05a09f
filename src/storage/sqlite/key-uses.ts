import type { GatewayTerms, GatewayUse } from '../../domain/reconciliation/gateway-use.ts';
import { ceil } from '../segments.ts';
import type { KeyUse, TimeRange } from '../store.ts';
import { parseTerms, USE_COLUMNS } from './key-use.ts';
import type { EntryReader, QuerySteps } from './reading.ts';
import { numberAt } from './row.ts';
import { DAY_MS } from '../../domain/time/units.ts';

/** Days between two turns of others; whoever reads many reads them one by one. */
const SLICE_DAYS = 7;
const CLASSES = Object.keys(USE_COLUMNS) as (keyof typeof USE_COLUMNS)[];
/** Money that passes 2^53 comes as text. */
const exact = (column: string): string =>
  `CASE WHEN abs(${column}) > ${Number.MAX_SAFE_INTEGER} THEN CAST(${column} AS TEXT) ELSE ${column} END`;
const keyUsesOf = (
  table: string,
): string => `SELECT start, key, model, call_model, terms, others, calls, failed_calls, ${exact('cost')},
    ${exact('uncertain_up_to')}, ${Object.values(USE_COLUMNS).join(', ')}
  FROM ${table} WHERE workspace = ? AND start >= ? AND start < ?`;
const SQL = { all: keyUsesOf('key_use_day'), late: keyUsesOf('key_use_late') };
const FIRST_AMOUNT = 10;

/** `late`: of these, those that were under way when their day ended. */
export function* readKeyUses(
  { connection, names }: EntryReader,
  workspaceId: string,
  range: TimeRange,
  which: keyof typeof SQL = 'all',
): QuerySteps<KeyUse[]> {
  const workspace = names.find(workspaceId);
  const [start, end] = [ceil(range.start, DAY_MS), ceil(range.end, DAY_MS)];
  const found: KeyUse[] = [];
  if (workspace === undefined) return found;
  const nameOf = (id: unknown): string | null => names.text(id);
  const known = new Map<unknown, GatewayTerms>();
  const termsAt = (id: unknown): GatewayTerms => {
    let terms = known.get(id);
    if (!terms) known.set(id, (terms = parseTerms(nameOf(id) ?? '')));
    return terms;
  };
  for (let from = start; from < end; from += SLICE_DAYS * DAY_MS) {
    const to = Math.min(end, from + SLICE_DAYS * DAY_MS);
    for (const row of connection.lists(SQL[which], workspace, from, to)) {
      const use = toKeyUse(row, nameOf, termsAt);
      if (!isNothing(use)) found.push(use);
    }
    if (to < end) yield;
  }
  return found;
}

function toKeyUse(
  row: readonly unknown[],
  nameOf: (id: unknown) => string | null,
  termsAt: (id: unknown) => GatewayTerms,
): KeyUse {
  const [day, key, model, callModel, terms, others, , , cost, uncertainUpTo] = row;
  const amounts: GatewayUse['amounts'] =
    typeof others === 'string' ? (JSON.parse(others) as GatewayUse['amounts']) : {};
  let column = FIRST_AMOUNT;
  for (const name of CLASSES) {
    const amount = numberAt(row, column);
    if (amount !== 0) amounts[name] = amount;
    column += 1;
  }
  return {
    day: Number(day),
    keyId: nameOf(key) ?? '',
    model: nameOf(model),
    callModel: nameOf(callModel),
    terms: termsAt(terms),
    amounts,
    calls: numberAt(row, 6),
    failedCalls: numberAt(row, 7),
    cost: whole(cost),
    uncertainUpTo: whole(uncertainUpTo),
  };
}

function whole(value: unknown): bigint {
  return typeof value === 'number' ? BigInt(value) : BigInt(String(value));
}

/** What corrections have left of a row. */
function isNothing({ calls, cost, amounts }: GatewayUse): boolean {
  return calls === 0 && cost === 0n && Object.keys(amounts).length === 0;
}
