import type { LimitShape } from '../../../../src/contract/limits.ts';
import { describeRate, describeScope, explainLimit } from '../../../../src/domain/text/limits.ts';
import { isolated } from '../format/isolated.ts';

export type LimitScope = LimitShape['scope'];
export type LimitUnit = LimitShape['unit'];
export type LimitWindow = LimitShape['window'];

/** The fields of a limit that describe it. */
export type DescribedLimit = Pick<LimitShape, 'scope' | 'unit' | 'amount' | 'window' | 'action'>;

type KeyNameLookup = (id: string) => string;

/** Returns the label of a limit, or its description: `$5.00 a day for each user`. */
export function limitName(limit: DescribedLimit & Pick<LimitShape, 'label'>, keyName: KeyNameLookup): string {
  return limit.label ? isolated(limit.label) : `${describeRate(limit)} for ${scopeText(limit.scope, keyName)}`;
}

/** Describes the calls that a limit counts; names in other scripts do not turn the text around them. */
export function scopeText(scope: LimitScope, keyName: KeyNameLookup): string {
  return describeScope(scope, keyName, isolated);
}

/** Describes the effect of a limit in sentences. @param zone time zone of the workspace */
export function limitSentence(limit: DescribedLimit, keyName: KeyNameLookup, zone: string): string {
  return explainLimit(limit, keyName, zone, isolated);
}

/** Tests for a limit on the dollars of all calls in a month. */
export function isMonthlyBudget({ scope, unit, window }: Pick<LimitShape, 'scope' | 'unit' | 'window'>): boolean {
  return scope.kind === 'workspace' && unit === 'usd' && window === 'month';
}

/** Amounts are whole nano-dollars. */
const USD_DIGITS = 9;

/** Writes an amount exactly and without an exponent: 0.0000001, not 1e-7. */
export function writeAmount(unit: LimitUnit, amount: number): string {
  return unit === 'usd' ? amount.toFixed(USD_DIGITS).replace(/\.?0+$/, '') : String(amount);
}

/** Returns what a limit counts separately: a session, an agent, a run, or a value of a tag. */
export function limitValueName(scope: LimitScope): string {
  if (scope.kind !== 'each') return 'Value';
  return { session: 'Session', agent: 'Agent', run: 'Run' }[scope.of];
}
