import { TollbookError } from '../errors.ts';
import { NANO_MAX } from '../money/money.ts';
import type { Period } from '../time/period.ts';
import { DAY_MS } from '../time/units.ts';

/** `credit`: pays for costs until it is used up. `commitment`: minimum cost of its period; what is missing is billed at its end. */
export const BILL_LINE_KINDS = ['credit', 'commitment'] as const;
export type BillLineKind = (typeof BILL_LINE_KINDS)[number];

/** Longest period of a line, and the age at which its costs are no longer added up. */
export const BILL_LINE_DAYS_MAX = 5 * 366;

/** A part of a provider's bill that no call causes. */
export interface BillLine {
  readonly id: string;
  readonly workspaceId: string;
  readonly provider: string;
  readonly kind: BillLineKind;
  readonly name: string;
  /** nano-USD */
  readonly amount: number;
  /** First UTC day. */
  readonly from: number;
  /** First UTC day without it; null = a credit without an end. */
  readonly until: number | null;
  readonly createdAt: number;
}

/** A line as it is added. */
export type NewBillLine = Omit<BillLine, 'id' | 'createdAt'>;

export function checkBillLine({ kind, amount, from, until }: NewBillLine): void {
  if (amount <= 0 || amount > NANO_MAX) throw invalidLine('amount', 'amount must be more than 0 dollars.');
  if (until === null) {
    if (kind === 'commitment') throw invalidLine('until', 'A commitment needs an end: give the first day without it.');
    return;
  }
  if (until <= from) throw invalidLine('until', 'until must be later than from.');
  if (until - from > BILL_LINE_DAYS_MAX * DAY_MS)
    throw invalidLine(
      'until',
      `The period is longer than ${BILL_LINE_DAYS_MAX} days. Choose an earlier day for until.`,
    );
}

function invalidLine(param: string, message: string): TollbookError {
  return new TollbookError('invalid', message, param);
}

/** Cost of a provider by UTC day, nano-USD. */
export type DailyCosts = ReadonlyMap<number, bigint>;

/** A line with its effect on the bill. */
export interface AppliedBillLine {
  readonly line: BillLine;
  /** Cost of its provider in its period. */
  readonly cost: bigint;
  /** Credit: cost that it pays for. Commitment: cost that counts towards it. */
  readonly used: bigint;
  /** Change of the bill in the asked period. */
  readonly billed: bigint;
}

/**
 * Applies the lines of one provider to its costs. Of several credits, the one that ends first is used first.
 * @param asked the period of a bill: whole UTC days
 * @param today start of the current UTC day; a commitment that ends later is not billed yet
 */
export function applyBillLines(
  lines: readonly BillLine[],
  costs: DailyCosts,
  asked: Period,
  today: number,
): AppliedBillLine[] {
  const credits = payWithCredits(lines, costs, asked);
  return lines.map((line) => {
    const cost = costWithin(costs, line);
    if (line.kind === 'credit') {
      const { used, billed } = credits.get(line.id) ?? { used: 0n, billed: 0n };
      return { line, cost, used, billed: -billed };
    }
    const used = min(cost, BigInt(line.amount));
    const end = line.until ?? Infinity;
    const isBilled = end <= today && end > asked.start && end <= asked.end;
    return { line, cost, used, billed: isBilled ? BigInt(line.amount) - used : 0n };
  });
}

interface PaidCosts {
  readonly used: bigint;
  /** Part of it in the asked period. */
  readonly billed: bigint;
}

function payWithCredits(lines: readonly BillLine[], costs: DailyCosts, asked: Period): ReadonlyMap<string, PaidCosts> {
  const credits = lines.filter(({ kind }) => kind === 'credit').toSorted(byEnd);
  const paid = new Map<string, PaidCosts>();
  for (const [day, cost] of [...costs].toSorted(([a], [b]) => a - b)) {
    let rest = cost;
    for (const credit of credits) {
      if (rest <= 0n) break;
      if (!isOn(credit, day)) continue;
      const { used, billed } = paid.get(credit.id) ?? { used: 0n, billed: 0n };
      const part = min(rest, BigInt(credit.amount) - used);
      const isAsked = day >= asked.start && day < asked.end;
      paid.set(credit.id, { used: used + part, billed: isAsked ? billed + part : billed });
      rest -= part;
    }
  }
  return paid;
}

function byEnd(one: BillLine, other: BillLine): number {
  const [end, otherEnd] = [one.until ?? Infinity, other.until ?? Infinity];
  if (end !== otherEnd) return end < otherEnd ? -1 : 1;
  return one.from - other.from || (one.id < other.id ? -1 : 1);
}

function costWithin(costs: DailyCosts, line: BillLine): bigint {
  let sum = 0n;
  for (const [day, cost] of costs) if (isOn(line, day)) sum += cost;
  return sum;
}

function isOn({ from, until }: BillLine, day: number): boolean {
  return day >= from && (until === null || day < until);
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
