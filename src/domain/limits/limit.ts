import { addWhole, subtractWhole, type WholeAmount } from '../money/money.ts';

/** Units of limits. `tokens` is input plus output; input includes cache reads and writes. */
export const LIMIT_UNITS = ['usd', 'calls', 'tokens', 'input_tokens', 'output_tokens', 'concurrency'] as const;
export type LimitUnit = (typeof LIMIT_UNITS)[number];

/** Minute and hour are instants; day and longer follow the workspace's calendar and time zone; `total` never ends. */
export const LIMIT_WINDOWS = ['minute', 'hour', 'day', 'week', 'month', 'total'] as const;
export type LimitWindow = (typeof LIMIT_WINDOWS)[number];

export const LIMIT_ACTIONS = ['block', 'warn'] as const;
export type LimitAction = (typeof LIMIT_ACTIONS)[number];

/** Names of a call that a limit counts separately: each session, each agent of a session, each run. */
export const CALL_NAMES = ['session', 'agent', 'run'] as const;
export type CallName = (typeof CALL_NAMES)[number];

/**
 * Calls that a limit counts. `each_tag` counts every value of the tag separately, each with the same amount; `each`
 * does so with sessions, agents or runs, of all keys or of one.
 */
export type LimitScope =
  | { readonly kind: 'workspace' }
  | { readonly kind: 'key'; readonly keyId: string }
  | { readonly kind: 'provider'; readonly provider: string }
  /** `*` matches any characters. Tested against all `restrictedSpellings` of the requested model. */
  | { readonly kind: 'model'; readonly pattern: string }
  | { readonly kind: 'tag'; readonly key: string; readonly value: string }
  | { readonly kind: 'each_tag'; readonly key: string }
  | { readonly kind: 'each'; readonly of: CallName; readonly keyId: string | null };

/** Returns the id of the wrapped key that a limit counts; null = it counts all keys. */
export function scopeKeyId(scope: LimitScope): string | null {
  return scope.kind === 'key' || scope.kind === 'each' ? scope.keyId : null;
}

/** Returns the scope with another id in place of its key's. */
export function withKeyId(scope: LimitScope, replace: (keyId: string) => string): LimitScope {
  const keyId = scopeKeyId(scope);
  if (keyId === null || (scope.kind !== 'key' && scope.kind !== 'each')) return scope;
  return { ...scope, keyId: replace(keyId) };
}

/** Reports whether a limit has a counter for each value. */
export function countsEachValue({ kind }: LimitScope): boolean {
  return kind === 'each_tag' || kind === 'each';
}

/**
 * Reports whether a limit's counters are read from the ledger when a call needs them. There may be any number of
 * sessions, agents and runs, so the gateway keeps those in memory that were used recently.
 */
export function isOnDemand({ scope, unit }: Pick<Limit, 'scope' | 'unit'>): boolean {
  return scope.kind === 'each' && unit !== 'concurrency';
}

/** Reports whether a limit counts a call under its agent and all agents above. */
export function countsAgents({ scope }: Pick<Limit, 'scope'>): boolean {
  return scope.kind === 'each' && scope.of === 'agent';
}

/** Counts calls that have no valid value. */
export const NO_VALUE = '(none)';
/** Counts calls whose value has no separate counter, because the limit has its maximum of values. */
export const OTHER_VALUE = '(other)';

/**
 * Values with a separate counter in one window of a limit. One key can add at most as many as it leaves free, so
 * alone 10,000.
 */
export const VALUES_PER_LIMIT_MAX = 20_000;
/** Maximum number of values during a backfill, so that new calls can still add values. */
export const BACKFILLED_VALUES_PER_LIMIT_MAX = 10_000;

/** Tests whether a value counts towards that maximum; the two values above do not. */
export function needsPlace(value: string): boolean {
  return value !== NO_VALUE && value !== OTHER_VALUE;
}

/** A larger amount for a while. */
export interface LimitRaise {
  /** In the limit's unit; usd in nano-USD. */
  readonly amount: number;
  /** Epoch ms, exclusive. */
  readonly until: number;
}

/** A time zone and from when on it is the workspace's (epoch ms; the first has 0). */
export interface ZoneChange {
  readonly zone: string;
  readonly since: number;
}

/** Treatment of uncertain calls: count their maximum until the window ends, or for so many ms. */
export type UncertainRule = 'keep' | { readonly releaseAfterMs: number };

/** A limit as the ledger works with it. */
export interface Limit {
  readonly id: string;
  /**
   * Number of its counters. It changes whenever scope, unit or window does, so that old counts are never taken for new
   * ones. Never given twice.
   */
  readonly counter: number;
  readonly workspaceId: string;
  readonly scope: LimitScope;
  readonly unit: LimitUnit;
  /** In the limit's unit; usd in nano-USD, at most 9,000,000 USD. */
  readonly amount: number;
  readonly raise: LimitRaise | null;
  readonly window: LimitWindow;
  readonly action: LimitAction;
  /** Percent of the amount at which an alert is sent, ascending; 100 always sends one. */
  readonly thresholds: readonly number[];
  readonly uncertain: UncertainRule;
  /** The person's name for it; null = none. */
  readonly label: string | null;
  /** Counts observed calls too. Only for a limit that warns: the gateway does not know them. */
  readonly countsObserved: boolean;
  /** The workspace's time zones since the limit was made, oldest first, at least one. */
  readonly zones: readonly ZoneChange[];
  /** Its counters hold what was counted before it was there. */
  readonly countsPast: boolean;
}

/** A counter that a call counts under: fixed when the call begins, or when a later limit adopts the call in flight. */
export interface CounterRef {
  readonly counter: number;
  readonly unit: LimitUnit;
  /** Epoch ms; 0 for `total`. */
  readonly windowStart: number;
  /** Value of the tag, for a limit that counts each value; '' otherwise. */
  readonly value: string;
}

/** Identifies a counter. */
export type CounterPlace = Pick<CounterRef, 'counter' | 'windowStart' | 'value'>;

/** Amounts of one counter, in its limit's unit. */
export interface CounterState {
  readonly counter: number;
  readonly windowStart: number;
  readonly value: string;
  readonly counted: number | bigint;
  /** The part of `counted` that the provider may not have charged. */
  readonly uncertain: number | bigint;
}

/** Current state of a counter. Amounts are in the limit's unit. */
export interface CounterStatus {
  readonly limit: Limit;
  readonly value: string;
  readonly windowStart: number;
  /** null = it never ends. */
  readonly windowEnd: number | null;
  /** The amount in force, a raise included. */
  readonly amount: number;
  readonly counted: number | bigint;
  readonly uncertain: number | bigint;
  /** The part of `counted` that only telemetry or usage events report. Absent = the limit does not count it. */
  readonly observed?: number | bigint;
  /** Held by running calls. */
  readonly held: number | bigint;
  /** amount - counted - held, at least 0. */
  readonly left: number;
  /** Usage of the window before the limit existed is not counted yet: `counted` may be too low. Absent = all is counted. */
  readonly isPartial?: true;
  /** Time of the oldest figure in `held`, of a node that is silent. Absent = all are new. */
  readonly heldAsOf?: number;
}

/** Amount that open calls hold under a counter. */
export interface HeldAmount extends CounterPlace {
  readonly held: WholeAmount;
}

/** Adds an amount that other open calls hold. */
export function addHeld(status: CounterStatus, more: WholeAmount): CounterStatus {
  const held = addWhole(status.held, more);
  const left = subtractWhole(status.amount, addWhole(status.counted, held));
  return { ...status, held, left: Math.max(0, Number(left)) };
}

/** Adds what observed calls used. */
export function addObserved(status: CounterStatus, used: Pick<CounterState, 'counted' | 'uncertain'>): CounterStatus {
  const counted = addWhole(status.counted, used.counted);
  const uncertain = addWhole(status.uncertain, used.uncertain);
  const left = subtractWhole(status.amount, addWhole(counted, status.held));
  return { ...status, counted, uncertain, observed: used.counted, left: Math.max(0, Number(left)) };
}

/** A correction of a counter from outside: a price that changed, an uncertain call that was resolved. */
export interface CounterMove {
  readonly counter: number;
  readonly windowStart: number;
  readonly value: string;
  /** Added to `counted` and `uncertain`; may be negative. */
  readonly counted: number;
  readonly uncertain: number;
}

/** The amount that holds at an instant. */
export function amountAt(limit: Pick<Limit, 'amount' | 'raise'>, at: number): number {
  return limit.raise && at < limit.raise.until ? Math.max(limit.amount, limit.raise.amount) : limit.amount;
}
