import { compareBill, type BilledFee } from './billed-prices.ts';
import { type DayCell, buildCells, type DayFacts, type HeldUse } from './day-cells.ts';
import { toNano } from './exact-amounts.ts';
import { ListRates } from './list-rates.ts';
import { type CellResult, type ReasonAmount, type ReasonName, explainCell } from './reasons.ts';
import type { KeyMatch } from './match-provider-keys.ts';
import type { RateCard } from '../pricing/price.ts';

/**
 * Compares the ledger with the provider report. For each UTC day, provider key and model: the gateway's recorded cost,
 * the provider's charge, and the difference by reason. Each day is compared separately.
 */

export interface ReconciledLine {
  readonly day: number;
  /** The provider's id of the key; null = used without one (a console). */
  readonly key: string | null;
  readonly model: string | null;
  readonly ledgerCalls: number;
  /** nano-USD. */
  readonly ledgerCost: bigint;
  /** Billed cost, or list price without a bill; null = unknown, as are the fields that depend on it. */
  readonly providerCost: bigint | null;
  /** Usage without a price; null = everything has one. */
  readonly missing: string | null;
  readonly difference: bigint | null;
  readonly reasons: readonly ReasonAmount[];
}

export interface ReconciledDay {
  /** Its start. */
  readonly day: number;
  readonly isClosed: boolean;
  readonly lines: readonly { readonly line: ReconciledLine; readonly cell: DayCell; readonly result: CellResult }[];
  /** Charges without a key. */
  readonly fees: readonly ReconciledLine[];
  /** Usage with keys that this organization's report does not show. */
  readonly apart: readonly HeldUse[];
  /** Total of the provider's bill, femto-USD; null = the bill has no line. */
  readonly billed: bigint | null;
  readonly coverage: BilledCoverage;
}

/**
 * Billed spend of final days, nano-USD: `passed` of `total` went through the gateway; `unknown` is unknown. Stored
 * coverage is at list price: see `SpendCoverage`.
 */
export interface BilledCoverage {
  readonly passed: bigint;
  readonly unknown: bigint;
  readonly total: bigint;
}

/** Inputs of a reconciliation. */
export interface ReconcileContext {
  readonly matches: ReadonlyMap<string, KeyMatch>;
  /** Spellings of one model are one model. */
  nameOf(model: string): string;
  /** Returns the list price. A custom price would agree with itself even if it is wrong. */
  resolve(model: string, day: number): RateCard | null;
}

export function reconcileDay(facts: DayFacts, terms: ReconcileContext): ReconciledDay {
  const steps = reconcileInSteps(facts, terms);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Cells between two turns of others: some milliseconds. */
const CELLS_AT_ONCE = 500;

/** The same in parts: it yields where others may have their turn. */
export function* reconcileInSteps(
  facts: DayFacts,
  { matches, nameOf, resolve }: ReconcileContext,
): Generator<undefined, ReconciledDay, undefined> {
  const { day, isClosed } = facts;
  const rates = new ListRates((model) => resolve(model, day));
  const { cells, apart } = yield* buildCells(facts, { rates, matches, nameOf });
  yield;
  const billed = compareBill(cells, facts.costs, rates, nameOf);
  yield;
  const lines: ReconciledDay['lines'][number][] = [];
  for (const cell of cells) {
    const result = explainCell(cell, billed, isClosed);
    lines.push({ line: toReconciledLine(day, cell, result), cell, result });
    if (lines.length % CELLS_AT_ONCE === 0) yield;
  }
  const fees = billed.fees.map((fee) => feeLine(day, fee));
  const coverage = { passed: 0n, unknown: 0n, total: 0n };
  if (isClosed) {
    for (const { line } of lines) addToCoverage(coverage, line);
    for (const line of fees) addToCoverage(coverage, line);
  }
  return { day, isClosed, lines, fees, apart, billed: billed.total, coverage };
}

function toReconciledLine(day: number, { key, model, calls }: DayCell, result: CellResult): ReconciledLine {
  const { providerCost, ledgerCost, missing, reasons } = result;
  const difference = providerCost === null ? null : providerCost - ledgerCost;
  return { day, key, model, ledgerCalls: calls, ledgerCost, providerCost, missing, difference, reasons };
}

function feeLine(day: number, { model, amount }: BilledFee): ReconciledLine {
  const cost = toNano(amount);
  const reasons: ReasonAmount[] = [{ reason: 'fees', amount: cost }];
  const noLedgerUse = { ledgerCalls: 0, ledgerCost: 0n };
  return { day, key: null, model, ...noLedgerUse, providerCost: cost, missing: null, difference: cost, reasons };
}

/** Reasons for usage outside the gateway. */
const OUTSIDE_REASONS: ReadonlySet<ReasonName> = new Set<ReasonName>(['outside_gateway', 'batch', 'fees']);

function addToCoverage(sum: MutableSums<BilledCoverage>, { providerCost, reasons }: ReconciledLine): void {
  if (providerCost === null) return;
  let passed = providerCost;
  for (const { reason, amount } of reasons) {
    if (reason === 'unknown_key') sum.unknown += amount;
    if (reason === 'unknown_key' || OUTSIDE_REASONS.has(reason)) passed -= amount;
  }
  sum.total += providerCost;
  sum.passed += passed;
}

type MutableSums<Of> = { -readonly [Name in keyof Of]: Of[Name] };
