import { TollbookError } from '../../domain/errors.ts';
import { parseLabel, parseScope, parseThresholds, trimScope } from '../../domain/limits/limit-fields.ts';
import {
  type Limit,
  LIMIT_ACTIONS,
  LIMIT_UNITS,
  LIMIT_WINDOWS,
  type LimitAction,
  type LimitRaise,
  type LimitScope,
  type LimitUnit,
  type LimitWindow,
  type UncertainRule,
} from '../../domain/limits/limit.ts';
import { NANO_MAX } from '../../domain/money/money.ts';
import { unlessUnchanged } from '../../domain/identity/stored-value.ts';
import { DAY_MS } from '../../domain/time/units.ts';

export interface NewLimit {
  readonly workspaceId: string;
  readonly scope: LimitScope;
  readonly unit: LimitUnit;
  /** usd in nano-USD. */
  readonly amount: number;
  readonly window: LimitWindow;
  readonly action: LimitAction;
  readonly thresholds: readonly number[];
  readonly uncertain: UncertainRule;
  readonly label: string | null;
  readonly countsObserved: boolean;
}

const RELEASE_MS_LEAST = 60_000;
const RELEASE_MS_MAX = 366 * DAY_MS;

/** Returns a limit as it is stored; `stored` is the limit that it changes. Throws `invalid`, naming the field. */
export function checkLimit(input: NewLimit, stored?: NewLimit): NewLimit {
  const { unit, window, action, workspaceId } = input;
  requireAllowed(LIMIT_UNITS, unit, 'unit');
  requireAllowed(LIMIT_WINDOWS, window, 'window');
  requireAllowed(LIMIT_ACTIONS, action, 'action');
  // Calls in flight count while they run, in no time window.
  if (unit === 'concurrency' && window !== 'total')
    throw new TollbookError(
      'invalid',
      'A concurrency limit counts calls in flight. Its window must be "total".',
      'window',
    );
  checkCountsObserved(input);
  const sameUnit = stored?.unit === unit ? stored : undefined;
  return {
    workspaceId,
    scope: unlessUnchanged(stored?.scope, trimScope(input.scope), () => parseScope(input.scope, 'scope')),
    unit,
    amount: unlessUnchanged(sameUnit?.amount, input.amount, () => checkAmount(unit, input.amount)),
    window,
    action,
    thresholds: unlessUnchanged(stored?.thresholds, input.thresholds, () =>
      parseThresholds(input.thresholds, 'thresholds'),
    ),
    uncertain: unlessUnchanged(stored?.uncertain, input.uncertain, () => checkUncertain(input.uncertain)),
    label: unlessUnchanged(stored?.label, input.label?.trim() ?? null, () => parseLabel(input.label, 'label')),
    countsObserved: input.countsObserved,
  };
}

/** Throws `invalid` for a raise to an amount that is not higher. */
export function checkRaise({ unit, amount }: Limit, raise: LimitRaise, now: number): LimitRaise {
  const until = raise.until;
  if (!Number.isSafeInteger(until) || until <= now)
    throw new TollbookError('invalid', 'The end of the raise must be in the future.', 'until');
  const raised = checkAmount(unit, raise.amount);
  if (raised <= amount)
    throw new TollbookError(
      'invalid',
      'The raised amount is not above the amount of the limit. Give a larger one, or change the limit itself.',
      'amount',
    );
  return { amount: raised, until };
}

/** Checks an amount (`usd` in nano-USD). A limit of 0 admits no call. */
function checkAmount(unit: LimitUnit, amount: number): number {
  const max = unit === 'usd' ? NANO_MAX : Number.MAX_SAFE_INTEGER;
  if (Number.isSafeInteger(amount) && amount >= 0 && amount <= max) return amount;
  const most = unit === 'usd' ? '9,000,000 USD' : '2^53 - 1';
  throw new TollbookError('invalid', `The amount must be a whole number from 0 to ${most}.`, 'amount');
}

/** Throws `invalid` if a limit can't count observed calls and should. */
function checkCountsObserved({ countsObserved, action, unit, window, scope }: NewLimit): void {
  if (!countsObserved) return;
  const refuse = (message: string): never => {
    throw new TollbookError('invalid', message, 'countsObserved');
  };
  if (action === 'block')
    refuse(
      'A limit that blocks counts only calls of the gateway: a call that is reported after its end can\'t be refused. Set action to "warn", or countsObserved to false.',
    );
  if (unit === 'concurrency' || window === 'minute')
    refuse(
      "Observed calls are reported after their end: concurrent calls and minutes can't count them. Choose another unit or window, or set countsObserved to false.",
    );
  if (scope.kind === 'key' || scope.kind === 'each')
    refuse(
      'Observed calls have no wrapped key, and are not counted by session, agent or run. Count all calls, a provider, models or a tag, or set countsObserved to false.',
    );
}

function checkUncertain(rule: UncertainRule): UncertainRule {
  if (rule === 'keep') return rule;
  const { releaseAfterMs } = rule;
  if (Number.isSafeInteger(releaseAfterMs) && releaseAfterMs >= RELEASE_MS_LEAST && releaseAfterMs <= RELEASE_MS_MAX)
    return { releaseAfterMs };
  throw new TollbookError(
    'invalid',
    'Uncertain calls can be released after a minute at the earliest and a year at the latest.',
    'uncertain',
  );
}

function requireAllowed(words: readonly string[], word: string, param: string): void {
  if (!words.includes(word))
    throw new TollbookError('invalid', `The ${param} must be one of ${words.join(', ')}.`, param);
}
