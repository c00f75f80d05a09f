import type { KeyMatch } from './match-provider-keys.ts';
import type { RateCard } from './price.ts';
import { type ReportedPart, type ResidualCell, residualOf } from './residual.ts';

/**
 * Does the book match what the provider says, and if not, why? For each UTC day, key of the provider and model: what the
 * gate booked, what the report's tokens cost at list price, and the difference by reason. What no reason explains is
 * said too.
 */

export const REASONS = ['not_through_the_gate', 'uncertain_calls', 'key_unknown', 'settling', 'rounding'] as const;

/** All amounts in nano-USD, the provider's less the book's. */
interface Reason {
  readonly reason: (typeof REASONS)[number];
  readonly amount: bigint;
}

export interface ReconciledLine {
  readonly day: number;
  /** The provider's id of the key; null = used without one (a console). */
  readonly key: string | null;
  readonly model: string | null;
  readonly book: GateTotals;
  /** At list price; null = unknown, and so is everything that follows from it. */
  readonly providerCost: bigint | null;
  /** What has no price; null = everything has one. */
  readonly missing: string | null;
  readonly difference: bigint | null;
  readonly reasons: readonly Reason[];
  readonly unexplained: bigint | null;
}

export interface Reconciled {
  readonly lines: readonly ReconciledLine[];
  /** Booked through keys of which this organization says nothing: of other organizations, or not to be told. */
  readonly apart: readonly GateCell[];
  /** Of days that change no more. `passed` of `total` went through the gate; of `unclear` it is not known. */
  readonly coverage: { readonly passed: bigint; readonly unclear: bigint; readonly total: bigint };
}

/** Sums of calls; input tokens hold cache reads and writes. */
interface GateTotals {
  readonly calls: number;
  readonly failedCalls: number;
  readonly cost: bigint;
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  readonly uncertainUpTo: bigint;
}

/** What passed the gate with one provider key, of any workspace. */
export interface GateCell {
  readonly day: number;
  readonly heldId: string;
  readonly model: string | null;
  readonly totals: GateTotals;
}

interface ReportedCell {
  readonly day: number;
  readonly key: string | null;
  readonly model: string | null;
  readonly rows: readonly ReportedPart[];
}

export interface Organization {
  readonly reported: readonly ReportedCell[];
  readonly gate: readonly GateCell[];
  readonly matches: ReadonlyMap<string, KeyMatch>;
  /** Days that begin before change no more. */
  readonly closedBefore: number;
  /** Spellings of one model are one model. */
  nameOf(model: string): string;
  resolve(model: string, day: number): RateCard | null;
}

interface Place {
  readonly day: number;
  readonly key: string | null;
  readonly model: string | null;
  readonly rows: ReportedPart[];
  book: GateTotals;
}

const NO_CALLS: GateTotals = {
  calls: 0,
  failedCalls: 0,
  cost: 0n,
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  uncertainUpTo: 0n,
};

export function reconcile(organization: Organization): Reconciled {
  const { reported, gate, matches, nameOf } = organization;
  const places = new Map<string, Place>();
  const placeOf = (day: number, key: string | null, spelled: string | null): Place => {
    const model = spelled === null ? null : nameOf(spelled);
    const name = JSON.stringify([day, key, model]);
    let place = places.get(name);
    if (!place) places.set(name, (place = { day, key, model, rows: [], book: NO_CALLS }));
    return place;
  };
  for (const { day, key, model, rows } of reported) placeOf(day, key, model).rows.push(...rows);
  const keyOf = new Map<string, string>();
  for (const [key, match] of matches) if (match.is === 'one') for (const id of match.heldIds) keyOf.set(id, key);
  for (const { day, heldId, model, totals } of gate) {
    const key = keyOf.get(heldId);
    if (key === undefined) continue;
    const place = placeOf(day, key, model);
    place.book = sumOf(place.book, totals);
  }
  const all = [...places.values()].map((place) => compare(place, organization));
  return {
    lines: all.map(({ line }) => line),
    apart: gate.filter(({ heldId }) => !keyOf.has(heldId)),
    coverage: coverageOf(all),
  };
}

interface Compared {
  readonly line: ReconciledLine;
  readonly isClosed: boolean;
}

function compare(place: Place, { matches, closedBefore, resolve }: Organization): Compared {
  const { day, key, model, rows, book } = place;
  const match = key === null ? 'none' : (matches.get(key)?.is ?? 'unknown');
  const isClosed = day < closedBefore;
  const cell = { model, rows, isClosed };
  const cardOf = (name: string): RateCard | null => resolve(name, day);
  const { cost: providerCost, missing } = residualOf({ ...cell, proxied: null }, cardOf);
  const line = { day, key, model, book, providerCost, missing };
  if (providerCost === null) return { line: { ...line, difference: null, reasons: [], unexplained: null }, isClosed };
  const difference = providerCost - book.cost;
  const told = (reasons: readonly Reason[]): Compared => {
    const explained = reasons.reduce((sum, { amount }) => sum + amount, 0n);
    const shown = reasons.filter(({ amount }) => amount !== 0n);
    return { line: { ...line, difference, reasons: shown, unexplained: difference - explained }, isClosed };
  };
  if (match === 'none') return told([{ reason: 'not_through_the_gate', amount: difference }]);
  if (match !== 'one') return told([{ reason: 'key_unknown', amount: difference }]);
  if (!isClosed) return told([{ reason: 'settling', amount: difference }]);
  const { cost: beyond } = residualOf({ ...cell, proxied: proxiedOf(book) }, cardOf);
  // Every class has a price, or the whole would have none.
  return told(reasonsOf(difference, beyond ?? 0n, book));
}

/** Calls that lost their answer left no tokens in the book: what the report holds beyond it may be theirs, to their bound. */
function reasonsOf(difference: bigint, beyond: bigint, book: GateTotals): Reason[] {
  const uncertain = beyond < book.uncertainUpTo ? beyond : book.uncertainUpTo;
  const rest = difference - beyond;
  return [
    { reason: 'uncertain_calls', amount: uncertain },
    { reason: 'not_through_the_gate', amount: beyond - uncertain },
    { reason: 'rounding', amount: isRounding(rest, book.calls) ? rest : 0n },
  ];
}

/** Each call was rounded by half a nano-dollar at most, and so were both sums of the report. */
function isRounding(rest: bigint, calls: number): boolean {
  return 2n * (rest < 0n ? -rest : rest) <= BigInt(calls) + 2n;
}

function proxiedOf(book: GateTotals): ResidualCell['proxied'] {
  const believed = {
    input: book.inputTokens - book.cacheReadTokens - book.cacheWriteTokens,
    cacheRead: book.cacheReadTokens,
    cacheWrite: book.cacheWriteTokens,
    output: book.outputTokens,
  };
  return { amounts: {}, believed, calls: book.calls - book.failedCalls };
}

function sumOf(a: GateTotals, b: GateTotals): GateTotals {
  return {
    calls: a.calls + b.calls,
    failedCalls: a.failedCalls + b.failedCalls,
    cost: a.cost + b.cost,
    inputTokens: a.inputTokens + b.inputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    uncertainUpTo: a.uncertainUpTo + b.uncertainUpTo,
  };
}

function coverageOf(all: readonly Compared[]): Reconciled['coverage'] {
  let [passed, unclear, total] = [0n, 0n, 0n];
  for (const { line, isClosed } of all) {
    if (!isClosed || line.providerCost === null) continue;
    total += line.providerCost;
    const amountOf = (name: Reason['reason']): bigint =>
      line.reasons.find(({ reason }) => reason === name)?.amount ?? 0n;
    unclear += amountOf('key_unknown');
    passed += line.providerCost - amountOf('key_unknown') - amountOf('not_through_the_gate');
  }
  return { passed, unclear, total };
}
