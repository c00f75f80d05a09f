import { isOutsideTier } from './residual.ts';
import type { BillComparison, RateDrift } from './billed-prices.ts';
import { billedCost, listCost, termsText } from './billed-prices.ts';
import type { DayCell, ClassSlot, ProvenanceSums } from './day-cells.ts';
import { FEMTO_PER_NANO, toNano, proportion, absoluteValue } from './exact-amounts.ts';

/**
 * Reasons for a difference between ledger and bill:
 * - `outside_gateway` usage outside the gateway: keys that were never wrapped, or wrapped ones used directly
 * - `uncertain_calls` calls with a lost answer: the charge differs from the recorded cost
 * - `price_drift`     same usage at another price: custom price against list, or list against bill
 * - `no_price`        the ledger had no price for calls that the bill charges
 * - `batch`           batches, and tiers or geographies that the gateway did not see
 * - `fees`            charges without reported usage
 * - `unknown_key`     the provider key is not identified
 * - `not_final`        the day is not final yet
 * - `rounding`        half a nano-dollar per call, and roundings of the bill
 * - `unexplained`     everything else
 */
export const REASONS = [
  'outside_gateway',
  'uncertain_calls',
  'price_drift',
  'no_price',
  'batch',
  'fees',
  'unknown_key',
  'not_final',
  'rounding',
  'unexplained',
] as const;
export type ReasonName = (typeof REASONS)[number];

/** Reason names on the terminal and in the dashboard. */
export const REASON_NAMES: Readonly<Record<ReasonName, string>> = {
  outside_gateway: 'Outside the gateway',
  uncertain_calls: 'Uncertain calls',
  price_drift: 'Different price',
  no_price: 'No price',
  batch: 'Batches and tiers',
  fees: 'Fees',
  unknown_key: 'Unknown key',
  not_final: 'Not final yet',
  rounding: 'Rounding',
  unexplained: 'Unexplained',
};

/** Provider minus ledger, nano-USD. */
export interface ReasonAmount {
  readonly reason: ReasonName;
  readonly amount: bigint;
}

/** Usage of one class on the same terms that the report has beyond certain calls; `cost` in femto-USD. */
export interface LeftoverUse {
  readonly slot: ClassSlot;
  readonly count: number;
  readonly cost: bigint;
}

export interface CellResult {
  /** nano-USD; null = something has no price, and `missing` says what. */
  readonly providerCost: bigint | null;
  readonly ledgerCost: bigint;
  /** Cost of the usage that has a list price. */
  readonly listCost: bigint;
  readonly missing: string | null;
  readonly reasons: readonly ReasonAmount[];
  /** Usage beyond the calls of the ledger. */
  readonly left: readonly LeftoverUse[];
  /** The gateway recorded usage that the report lacks. */
  readonly isShort: boolean;
  readonly drifts: readonly { readonly drift: RateDrift; readonly amount: bigint }[];
  /** Difference to list price by provenance, femto-USD. */
  readonly ownDrifts: ReadonlyMap<string, { readonly version: ProvenanceSums; readonly amount: bigint }>;
  /** Billed cost of calls that were recorded without a price, femto-USD, and its rates. */
  readonly unpriced: { readonly amount: bigint; readonly rates: readonly RateDrift[] };
}

/** femto-USD by reason while they are added up. */
type ReasonSums = Record<ReasonName, bigint>;

export function explainCell(cell: DayCell, billed: Pick<BillComparison, 'drifts'>, isClosed: boolean): CellResult {
  let { recorded } = cell.unsure;
  for (const version of cell.versions.values()) recorded += version.recorded;
  const ledgerCost = toNano(recorded);
  let listed = 0n;
  for (const slot of cell.slots.values()) listed += listCost(slot) ?? 0n;
  const nothing = { ...NO_RESULT, ledgerCost, listCost: toNano(listed) };
  const cost = reportedCellCost(cell);
  if (typeof cost === 'string') return { ...nothing, providerCost: null, missing: cost };
  const result = { ...nothing, providerCost: toNano(cost), missing: null };
  if (cost === recorded && isClosed && isPlain(cell)) return result;
  const simple = simpleReason(cell, isClosed);
  if (simple) return { ...result, reasons: roundReasons(simple(cost - recorded), result.providerCost - ledgerCost) };
  const sums = noSums();
  const { left, isShort } = compareUse(cell, sums);
  const { drifts, ownDrifts, unpriced } = compareCellPrices(cell, billed, sums);
  const roundedBy = (BigInt(cell.calls) * FEMTO_PER_NANO) / 2n + FEMTO_PER_NANO;
  let rest = cost - recorded;
  for (const reason of REASONS) rest -= sums[reason];
  sums[absoluteValue(rest) <= roundedBy ? 'rounding' : 'unexplained'] += rest;
  return {
    ...result,
    reasons: roundReasons(sums, result.providerCost - ledgerCost),
    left,
    isShort,
    drifts,
    ownDrifts,
    unpriced,
  };
}

const NO_RESULT = {
  reasons: [],
  left: [],
  isShort: false,
  drifts: [],
  ownDrifts: new Map<never, never>(),
  unpriced: { amount: 0n, rates: [] },
};

/** The most frequent case: ledger and report agree in every class and price. */
function isPlain(cell: DayCell): boolean {
  if (cell.match !== 'one' || !isAllEqual(cell)) return false;
  for (const { drift } of cell.slots.values()) if (drift !== 0n) return false;
  for (const { list, recorded, unlisted } of cell.versions.values())
    if (list !== recorded || unlisted.size > 0) return false;
  return true;
}

/** femto-USD of all that is reported, or a sentence that says what has no price. */
function reportedCellCost({ slots }: DayCell): bigint | string {
  let sum = 0n;
  for (const slot of slots.values()) {
    if (slot.reported === 0) continue;
    const cost = slot.billed ?? listCost(slot);
    if (cost === null) return slot.rate.missing ?? 'Usage through the gateway has no list price.';
    sum += cost + slot.drift + slot.unproxiedMore;
  }
  return sum;
}

/**
 * Returns a function that assigns the whole difference to one reason, except for batches, where a comparison is
 * impossible.
 */
function simpleReason(cell: DayCell, isClosed: boolean): ((difference: bigint) => ReasonSums) | null {
  const all = (reason: ReasonName) => (difference: bigint) => ({ ...noSums(), [reason]: difference });
  if (cell.match === 'none')
    return (difference) => {
      const batch = [...cell.slots.values()].filter(isBatch).reduce((sum, slot) => sum + unproxiedCost(slot), 0n);
      return { ...noSums(), batch, outside_gateway: difference - batch };
    };
  if (cell.match !== 'one') return all('unknown_key');
  return isClosed ? null : all('not_final');
}

/** Compares usage of report and ledger by class. */
function compareUse(cell: DayCell, sums: ReasonSums): Pick<CellResult, 'left' | 'isShort'> {
  if (isAllEqual(cell)) return { left: [], isShort: false };
  const slots = [...cell.slots.values()];
  const short = new Map(slots.filter((slot) => slot.passed > slot.reported).map((slot) => [slot, missingFrom(slot)]));
  const left = slots
    .filter((slot) => slot.reported > slot.passed)
    .map((slot) => ({ slot, count: slot.reported - slot.passed, cost: unproxiedCost(slot) }))
    .map((one) => lessMoved(one, short, sums))
    .filter(({ count }) => count > 0);
  for (const { cost } of short.values()) sums.unexplained -= cost;
  const direct = left.filter(({ slot }) => !isBatch(slot)).reduce((sum, { cost }) => sum + cost, 0n);
  sums.batch += left.filter(({ slot }) => isBatch(slot)).reduce((sum, { cost }) => sum + cost, 0n);
  const { upTo, recorded } = cell.unsure;
  const uncertain = direct < upTo ? direct : upTo;
  sums.uncertain_calls += uncertain - recorded;
  sums.outside_gateway += direct - uncertain;
  return { left, isShort: [...short.values()].some(({ count }) => count > 0) };
}

function isAllEqual({ slots, unsure }: DayCell): boolean {
  for (const { reported, passed } of slots.values()) if (reported !== passed) return false;
  return unsure.calls === 0;
}

interface MissingUse {
  count: number;
  cost: bigint;
}

function missingFrom(slot: ClassSlot): MissingUse {
  const { passed, reported, passedCost } = slot;
  const count = passed - reported;
  return { count, cost: passedCost === null ? (billedCost(slot, count) ?? 0n) : proportion(passedCost, count, passed) };
}

/** Matches the same tokens on different terms; they are not additional usage. */
function lessMoved(one: LeftoverUse, short: Map<ClassSlot, MissingUse>, sums: ReasonSums): LeftoverUse {
  let { count, cost } = one;
  for (const [slot, rest] of short) {
    if (slot.name !== one.slot.name || rest.count === 0 || count === 0) continue;
    const moved = Math.min(count, rest.count);
    const [there, here] = [proportion(cost, moved, count), proportion(rest.cost, moved, rest.count)];
    sums.batch += there - here;
    count -= moved;
    cost -= there;
    rest.count -= moved;
    rest.cost -= here;
  }
  return { slot: one.slot, count, cost };
}

function unproxiedCost({ reported, passed, rate, unproxiedMore, billed }: ClassSlot): bigint {
  if (reported <= passed) return 0n;
  const count = reported - passed;
  return billed === null ? BigInt(count) * (rate.femto ?? 0n) + unproxiedMore : proportion(billed, count, reported);
}

function compareCellPrices(
  { model, slots, versions }: DayCell,
  { drifts: known }: Pick<BillComparison, 'drifts'>,
  sums: ReasonSums,
): Pick<CellResult, 'drifts' | 'ownDrifts' | 'unpriced'> {
  const drifts: { drift: RateDrift; amount: bigint }[] = [];
  for (const slot of slots.values()) {
    const drift = known.get(slot);
    if (slot.drift === 0n) continue;
    sums[drift ? 'price_drift' : 'rounding'] += slot.drift;
    if (drift) drifts.push({ drift, amount: slot.drift });
  }
  const ownDrifts = new Map<string, { version: ProvenanceSums; amount: bigint }>();
  const unpriced = { amount: 0n, rates: [] as RateDrift[] };
  for (const [name, version] of versions) {
    const amount = chargedMore(version);
    if (absoluteValue(amount) <= ((BigInt(version.calls) + 1n) * FEMTO_PER_NANO) / 2n) sums.rounding += amount;
    else if (version.provenance === null && version.recorded === 0n) {
      sums.no_price += amount;
      unpriced.amount += amount;
      for (const slot of version.unlisted.keys()) unpriced.rates.push(...billedRate(model, slot));
    } else {
      sums.price_drift += amount;
      ownDrifts.set(name, { version, amount });
    }
  }
  return { drifts, ownDrifts, unpriced };
}

/**
 * Returns the charge beyond the recorded cost, femto-USD, at list price or else at the bill's; 0 where neither is known.
 */
function chargedMore({ list, recorded, unlisted }: ProvenanceSums): bigint {
  let cost = list;
  for (const [slot, count] of unlisted) {
    const billed = billedCost(slot, count);
    if (billed === null && recorded !== 0n) return 0n;
    cost += billed ?? 0n;
  }
  return cost - recorded;
}

/** None where the bill has nothing of it. */
function billedRate(model: string | null, slot: ClassSlot): RateDrift[] {
  const billed = billedCost(slot, 1);
  return billed === null ? [] : [{ model, name: slot.name, terms: termsText(slot), listed: null, billed }];
}

export function isBatch({ terms: { tier } }: ClassSlot): boolean {
  return isOutsideTier(tier);
}

export function noSums(): ReasonSums {
  return {
    outside_gateway: 0n,
    uncertain_calls: 0n,
    price_drift: 0n,
    no_price: 0n,
    batch: 0n,
    fees: 0n,
    unknown_key: 0n,
    not_final: 0n,
    rounding: 0n,
    unexplained: 0n,
  };
}

/** Rounds reasons to nano-USD. The remainder goes to `rounding`, so that they add up to the whole. */
function roundReasons(sums: ReasonSums, whole: bigint): ReasonAmount[] {
  const reasons: { reason: ReasonName; amount: bigint }[] = [];
  let left = whole;
  for (const reason of REASONS) {
    const amount = sums[reason] === 0n ? 0n : toNano(sums[reason]);
    if (amount !== 0n) reasons.push({ reason, amount });
    left -= amount;
  }
  if (left === 0n) return reasons;
  const [only] = reasons;
  const into = only && reasons.length === 1 ? only : reasons.find(({ reason }) => reason === 'rounding');
  if (into) into.amount += left;
  else reasons.push({ reason: 'rounding', amount: left });
  return reasons.filter(({ amount }) => amount !== 0n);
}
