import type { GatewayUse, UsageCertainty } from './gateway-use.ts';
import { REPORT_CLASSES, type ReportAmounts } from './provider-report.ts';
import { FAMILY_NAMES, sumFamilies, type FamilyName } from './residual.ts';
import { OUTPUT_CLASSES, PROMPT_CLASSES, TOKEN_CLASSES, USE_CLASSES } from '../usage/usage.ts';

/**
 * On which day a provider has calls that were under way at midnight: the book has them where they began, a provider may
 * have them where they ended, and none says which. Report and gate tell it together, for each provider key and model: on
 * the day that is wrong the gate knows of use that the report does not hold, or the report of use that did not pass.
 */

type BoundaryUse = Pick<GatewayUse, 'terms' | 'amounts'>;

/** What one provider key used of one model on a UTC day. */
export interface DaySides {
  readonly reported: readonly ReportAmounts[];
  /** Of calls that began on it. */
  readonly passed: readonly BoundaryUse[];
  /** Of these, those that ended on the day after. */
  readonly late: readonly BoundaryUse[];
}

/** What two suppositions leave unsaid of the days around a midnight; what comes first weighs more. */
export interface DayBoundary {
  readonly byBegin: readonly number[];
  readonly byEnd: readonly number[];
}

/** Of so many the report itself says that one supposition is wrong. */
const PROOFS = 2;

/**
 * Calls under way between two days stand on the first, or on the second; those of the midnights before and after are
 * taken to stand likewise. The report lacks nothing that is known to have been used. Where the bounds of calls in doubt
 * leave room either way, it lacks less of what is believed of them, so that none is owed twice; an estimate may be too
 * high, so that it weighs where both suppositions explain all that is reported, or neither does.
 * @param before calls that ended on the first of the days, and began before it
 * @param second null = the provider still changes it, so that it says nothing yet
 */
export function scoreBoundary(before: readonly BoundaryUse[], first: DaySides, second: DaySides | null): DayBoundary {
  const began = [
    boundaryGap(first, [first.passed, []]),
    second ? boundaryGap(second, [second.passed, []]) : NONE,
  ] as const;
  const ended = [
    boundaryGap(first, [[...first.passed, ...before], first.late]),
    second ? boundaryGap(second, [[...second.passed, ...first.late], second.late]) : NONE,
  ] as const;
  return { byBegin: boundaryWeights(...began), byEnd: boundaryWeights(...ended) };
}

function boundaryWeights(first: BoundaryGap, second: BoundaryGap): readonly number[] {
  const beside = first.beside + second.beside;
  return [
    first.missing + second.missing,
    first.missingNoted + second.missingNoted,
    Math.sign(beside),
    first.missingBelieved + second.missingBelieved,
    beside,
  ];
}

export function isProven({ byBegin, byEnd }: DayBoundary): boolean {
  return byBegin.slice(0, PROOFS).some((weight, index) => weight !== byEnd[index]);
}

/** Whether calls of a midnight stand where they ended, by it and those in a row with it: where they began if all fits both. */
export function belongsToEndDay(nights: readonly DayBoundary[]): boolean {
  const [byBegin, byEnd] = (['byBegin', 'byEnd'] as const).map((by) =>
    nights.map((night) => night[by]).reduce((sum, weights) => sum.map((one, index) => one + (weights[index] ?? 0))),
  );
  const weighs = byBegin?.findIndex((weight, index) => weight !== byEnd?.[index]) ?? -1;
  return (byEnd?.[weighs] ?? 0) < (byBegin?.[weighs] ?? 0);
}

/** Tokens and uses. */
interface BoundaryGap {
  /** That the gate knows of and the report does not hold. */
  readonly missing: number;
  /** The same of what calls in doubt are known to have used, and of all that is believed of them. */
  readonly missingNoted: number;
  readonly missingBelieved: number;
  /** That the report holds beyond all that may have passed. */
  readonly beside: number;
}

const NONE: BoundaryGap = { missing: 0, missingNoted: 0, missingBelieved: 0, beside: 0 };

/** A day with these uses on it, and those not. */
function boundaryGap(
  { reported }: DaySides,
  [passed, gone]: readonly [readonly BoundaryUse[], readonly BoundaryUse[]],
): BoundaryGap {
  const more: ReportAmounts = {};
  for (const amounts of reported) addAmounts(more, amounts);
  const sums: Record<UsageCertainty, ReportAmounts> = { used: {}, at_most: {}, noted: {}, estimated: {} };
  for (const { terms, amounts } of passed) addAmounts(sums[terms.tells], amounts);
  for (const { terms, amounts } of gone) addAmounts(sums[terms.tells], amounts, -1);
  let missing = 0;
  for (const name of REPORT_CLASSES) {
    const rest = (more[name] ?? 0) - (sums.used[name] ?? 0);
    missing += Math.max(0, -rest);
    more[name] = Math.max(0, rest);
  }
  const [left, noted, estimated] = [sumFamilies(more), sumFamilies(sums.noted), sumFamilies(sums.estimated)];
  const { input = 0, output = 0 } = sums.at_most;
  const sum = (names: readonly (keyof ReportAmounts)[]): number =>
    names.reduce((all, name) => all + (more[name] ?? 0), 0);
  const beside = Math.max(0, sum(PROMPT_CLASSES) - input) + Math.max(0, sum(OUTPUT_CLASSES) - output);
  const lacking = (of: (family: FamilyName) => number): number =>
    FAMILY_NAMES.reduce((all, family) => all + Math.max(0, of(family) - left[family]), 0);
  return {
    missing,
    missingNoted: lacking((family) => noted[family]),
    missingBelieved: lacking((family) => noted[family] + estimated[family]),
    beside: beside + sum(USE_CLASSES),
  };
}

function addAmounts(sum: ReportAmounts, amounts: ReportAmounts, sign: 1 | -1 = 1): void {
  for (const name of REPORT_CLASSES) if (amounts[name]) sum[name] = (sum[name] ?? 0) + sign * amounts[name];
}

/** Takes use off where a sum holds it. */
export function lessUse<Of extends GatewayUse>(use: Of): Of {
  const amounts: GatewayUse['amounts'] = {};
  for (const name of [...TOKEN_CLASSES, ...USE_CLASSES]) if (use.amounts[name]) amounts[name] = -use.amounts[name];
  const { calls, failedCalls, cost, uncertainUpTo } = use;
  return { ...use, amounts, calls: -calls, failedCalls: -failedCalls, cost: -cost, uncertainUpTo: -uncertainUpTo };
}
