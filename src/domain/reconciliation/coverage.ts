/**
 * Spend of an organization by coverage. nano-USD at list price, of final days: `unproxied` is outside the gateway,
 * `unknown` may be either.
 */
export interface SpendCoverage {
  readonly total: bigint;
  readonly unproxied: bigint;
  readonly unknown: bigint;
}

export const NO_COVERAGE: SpendCoverage = { total: 0n, unproxied: 0n, unknown: 0n };

export function addCoverage(a: SpendCoverage, b: SpendCoverage): SpendCoverage {
  return { total: a.total + b.total, unproxied: a.unproxied + b.unproxied, unknown: a.unknown + b.unknown };
}

/** Returns the share that went through the gateway, 0 to 1 with four digits; null = no spend. */
export function throughGatewayShare({ total, unproxied, unknown: unclear }: SpendCoverage): number | null {
  return total === 0n ? null : Number(((total - unproxied - unclear) * 10_000n) / total) / 10_000;
}

/** Days that the newest are compared with, and how many of these there are. */
const BEFORE_DAYS = 28;
export const RECENT_DAYS = 7;
export const WATCHED_DAYS = BEFORE_DAYS + RECENT_DAYS;
/**
 * The gap has grown when the share outside the gateway rises by this many of 10,000 parts; below the second value it has
 * closed.
 */
const GROWN_PARTS_MIN = 500;
const OVER_PARTS_MAX = 200;
/** In a week, nano-USD: less is no news. */
const GROWN_MIN = 1_000_000_000n;

/** Average spend per day outside the gateway, now and before. */
export interface CoverageGap {
  readonly recent: SpendCoverage;
  readonly before: SpendCoverage;
  /** `grown`: send an alert; `over`: no larger than before. */
  readonly is: 'grown' | 'over' | 'between';
}

/** `before`: of the 28 days before the 7 of `recent`. null = there is nothing to compare. */
export function compareCoverage(recent: SpendCoverage, before: SpendCoverage): CoverageGap | null {
  if (recent.total === 0n || before.total === 0n) return null;
  const more = outsideParts(recent) - outsideParts(before);
  const grown = recent.unproxied - (before.unproxied * BigInt(RECENT_DAYS)) / BigInt(BEFORE_DAYS);
  if (more >= GROWN_PARTS_MIN && grown >= GROWN_MIN) return { recent, before, is: 'grown' };
  return { recent, before, is: more < OVER_PARTS_MAX ? 'over' : 'between' };
}

function outsideParts({ total, unproxied }: SpendCoverage): number {
  return Number((unproxied * 10_000n) / total);
}

/** A connection to an organization, as metrics show it. */
export interface ConnectionState {
  readonly id: string;
  readonly provider: string;
  /** It is read: neither paused nor failing. */
  readonly isOn: boolean;
  /** Last complete sync, epoch ms; null = never. */
  readonly readAt: number | null;
  /** Share of the last 30 final days that went through the gateway, 0 to 1; null = no spend. */
  readonly throughGatewayShare: number | null;
  /** USD at list price of unproxied usage in those days. */
  readonly unproxiedUsd: number;
}
