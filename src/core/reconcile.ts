import { comparePrices, type Fee } from './reconcile/billed-prices.ts';
import { type Cell, cellsOf, type DayFacts, type HeldUse } from './reconcile/day-cells.ts';
import { nanoOf } from './reconcile/femto.ts';
import { ListRates } from './reconcile/list-rates.ts';
import { type CellResult, type Reason, type ReasonName, reasonsOf } from './reconcile/reasons.ts';
import type { KeyMatch } from './match-provider-keys.ts';
import type { RateCard } from './price.ts';

/**
 * Does the book match what the provider says, and if not, why? For each UTC day, key of the provider and model: what the
 * gate booked, what the provider charges, and the difference by reason. A day is compared by itself.
 */

export interface ReconciledLine {
  readonly day: number;
  /** The provider's id of the key; null = used without one (a console). */
  readonly key: string | null;
  readonly model: string | null;
  readonly bookCalls: number;
  /** nano-USD. */
  readonly bookCost: bigint;
  /** As the bill says, or at list price where it does not say; null = unknown, and so is all that follows from it. */
  readonly providerCost: bigint | null;
  /** What has no price; null = everything has one. */
  readonly missing: string | null;
  readonly difference: bigint | null;
  readonly reasons: readonly Reason[];
}

export interface ReconciledDay {
  /** Its start. */
  readonly day: number;
  readonly isClosed: boolean;
  readonly lines: readonly { readonly line: ReconciledLine; readonly cell: Cell; readonly result: CellResult }[];
  /** Charges without a key. */
  readonly fees: readonly ReconciledLine[];
  /** Booked through keys of which this organization says nothing: of other organizations, or not to be told. */
  readonly apart: readonly HeldUse[];
  /** femto-USD that the provider's own bill comes to; null = it has no line. */
  readonly billed: bigint | null;
  readonly coverage: BilledCoverage;
}

/**
 * nano-USD as the provider charges, of days that change no more: `passed` of `total` went through the gate; of `unclear`
 * it is not known. What is kept of all days is at list price: `Coverage` of `coverage.ts`.
 */
export interface BilledCoverage {
  readonly passed: bigint;
  readonly unclear: bigint;
  readonly total: bigint;
}

/** What days are compared with. */
export interface Terms {
  readonly matches: ReadonlyMap<string, KeyMatch>;
  /** Spellings of one model are one model. */
  nameOf(model: string): string;
  /** At list price: a wrong price that a workspace set for itself would agree with itself. */
  resolve(model: string, day: number): RateCard | null;
}

export function reconcileDay(facts: DayFacts, { matches, nameOf, resolve }: Terms): ReconciledDay {
  const { day, isClosed } = facts;
  const rates = new ListRates((model) => resolve(model, day));
  const { cells, apart } = cellsOf(facts, { rates, matches, nameOf });
  const billed = comparePrices(cells, facts.costs, rates, nameOf);
  const lines = cells.map((cell) => {
    const result = reasonsOf(cell, billed, isClosed);
    const { providerCost, bookCost, missing, reasons } = result;
    const difference = providerCost === null ? null : providerCost - bookCost;
    const { key, model, calls: bookCalls } = cell;
    return { line: { day, key, model, bookCalls, bookCost, providerCost, missing, difference, reasons }, cell, result };
  });
  const fees = billed.fees.map((fee) => feeLine(day, fee));
  const all = [...lines.map(({ line }) => line), ...fees];
  const coverage = isClosed ? coverageOf(all) : { passed: 0n, unclear: 0n, total: 0n };
  return { day, isClosed, lines, fees, apart, billed: billed.total, coverage };
}

function feeLine(day: number, { model, amount }: Fee): ReconciledLine {
  const cost = nanoOf(amount);
  const reasons: Reason[] = [{ reason: 'fees', amount: cost }];
  const book = { bookCalls: 0, bookCost: 0n };
  return { day, key: null, model, ...book, providerCost: cost, missing: null, difference: cost, reasons };
}

/** Of what did not pass the gate. */
const BESIDE: ReadonlySet<ReasonName> = new Set<ReasonName>(['not_through_the_gate', 'batch', 'fees']);

function coverageOf(lines: readonly ReconciledLine[]): BilledCoverage {
  let [passed, unclear, total] = [0n, 0n, 0n];
  for (const { providerCost, reasons } of lines) {
    if (providerCost === null) continue;
    const unknown = reasons.find(({ reason }) => reason === 'key_unknown')?.amount ?? 0n;
    const beside = reasons.filter(({ reason }) => BESIDE.has(reason)).reduce((sum, { amount }) => sum + amount, 0n);
    total += providerCost;
    unclear += unknown;
    passed += providerCost - unknown - beside;
  }
  return { passed, unclear, total };
}
