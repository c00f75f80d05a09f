import type { GatewayUse, UsageCertainty } from './gateway-use.ts';
import { REPORT_CLASSES, type ReportAmounts } from './provider-report.ts';
import { FAMILY_NAMES, sumFamilies, type FamilyName } from './residual.ts';
import { OUTPUT_CLASSES, PROMPT_CLASSES, TOKEN_CLASSES, USE_CLASSES } from '../usage/usage.ts';

/**
 * Finds out on which day a provider counts calls that were running at midnight UTC. The ledger counts them on the day
 * they started; a provider may count them on the day they ended, and does not say so. On the wrong day, either the
 * ledger has usage that the report lacks, or the report has usage that did not go through the gateway.
 */

type BoundaryUse = Pick<GatewayUse, 'terms' | 'amounts'>;

/** Usage of one provider key and model on one UTC day. */
export interface DaySides {
  readonly reported: readonly ReportAmounts[];
  /** Usage of calls that started on the day. */
  readonly passed: readonly BoundaryUse[];
  /** Usage of those calls that ended on the next day. */
  readonly late: readonly BoundaryUse[];
}

/** Unexplained usage around a midnight under both assumptions, in order of weight. */
export interface DayBoundary {
  readonly byBegin: readonly number[];
  readonly byEnd: readonly number[];
}

/** The first entries prove an assumption wrong. */
const PROOFS = 2;

/**
 * Scores both assumptions for calls running at a midnight: they count on the first day, or on the second. Calls of the
 * midnights before and after are treated alike. The report must contain all usage that is certain. Where uncertain calls
 * fit both ways, the assumption wins that explains more of their effective usage, so that no call is owed twice.
 * Estimates can be too high and weigh less.
 *
 * @param before calls that ended on the first day and started before it
 * @param second null = not final yet
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
  const unproxied = first.unproxied + second.unproxied;
  return [
    first.missing + second.missing,
    first.missingNoted + second.missingNoted,
    Math.sign(unproxied),
    first.missingEffective + second.missingEffective,
    unproxied,
  ];
}

export function isProven({ byBegin, byEnd }: DayBoundary): boolean {
  return byBegin.slice(0, PROOFS).some((weight, index) => weight !== byEnd[index]);
}

/**
 * Decides whether calls of a midnight count on the day they ended, together with adjacent midnights. Ties go to the day
 * they started.
 */
export function belongsToEndDay(nights: readonly DayBoundary[]): boolean {
  const [byBegin, byEnd] = (['byBegin', 'byEnd'] as const).map((by) =>
    nights.map((night) => night[by]).reduce((sum, weights) => sum.map((one, index) => one + (weights[index] ?? 0))),
  );
  const weighs = byBegin?.findIndex((weight, index) => weight !== byEnd?.[index]) ?? -1;
  return (byEnd?.[weighs] ?? 0) < (byBegin?.[weighs] ?? 0);
}

/** Tokens and uses. */
interface BoundaryGap {
  /** Usage in the ledger that the report lacks. */
  readonly missing: number;
  /** The same for usage that the provider noted for uncertain calls, and for all their effective usage. */
  readonly missingNoted: number;
  readonly missingEffective: number;
  /** Usage in the report beyond all that may have gone through the gateway. */
  readonly unproxied: number;
}

const NONE: BoundaryGap = { missing: 0, missingNoted: 0, missingEffective: 0, unproxied: 0 };

/** A day with these uses on it, and those not. */
function boundaryGap(
  { reported }: DaySides,
  [passed, gone]: readonly [readonly BoundaryUse[], readonly BoundaryUse[]],
): BoundaryGap {
  const more: ReportAmounts = {};
  for (const amounts of reported) addAmounts(more, amounts);
  const sums: Record<UsageCertainty, ReportAmounts> = { used: {}, at_most: {}, noted: {}, estimated: {} };
  for (const { terms, amounts } of passed) addAmounts(sums[terms.certainty], amounts);
  for (const { terms, amounts } of gone) addAmounts(sums[terms.certainty], amounts, -1);
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
  const unproxied = Math.max(0, sum(PROMPT_CLASSES) - input) + Math.max(0, sum(OUTPUT_CLASSES) - output);
  const lacking = (of: (family: FamilyName) => number): number =>
    FAMILY_NAMES.reduce((all, family) => all + Math.max(0, of(family) - left[family]), 0);
  return {
    missing,
    missingNoted: lacking((family) => noted[family]),
    missingEffective: lacking((family) => noted[family] + estimated[family]),
    unproxied: unproxied + sum(USE_CLASSES),
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
