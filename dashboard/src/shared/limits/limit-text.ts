import type { LimitShape, LimitStanding } from '../../../../src/contract/limits.ts';
import { isolated } from '../format/isolated.ts';
import { formatUsd } from '../format/money.ts';
import { formatShare } from '../format/number.ts';

export type LimitScope = LimitShape['scope'];
export type LimitUnit = LimitShape['unit'];
export type LimitWindow = LimitShape['window'];

/** What a limit says before its counters: enough for a sentence. */
export type DescribedLimit = Pick<LimitShape, 'scope' | 'unit' | 'amount' | 'window' | 'action'>;

type KeyNameLookup = (id: string) => string;

const UNIT_NOUNS: Readonly<Record<Exclude<LimitUnit, 'usd'>, readonly [one: string, many: string]>> = {
  calls: ['call', 'calls'],
  tokens: ['token', 'tokens'],
  input_tokens: ['input token', 'input tokens'],
  output_tokens: ['output token', 'output tokens'],
  concurrency: ['call at once', 'calls at once'],
};

const WINDOW_TEXTS: Readonly<Record<LimitWindow, string>> = {
  minute: ' a minute',
  hour: ' an hour',
  day: ' a day',
  week: ' a week',
  month: ' a month',
  total: ' in total',
};

/** `$5.00`, `1 call`, `12,000 input tokens`. */
export function amountText(unit: LimitUnit, amount: number): string {
  if (unit === 'usd') return formatUsd(amount);
  const [one, many] = UNIT_NOUNS[unit];
  return `${amount.toLocaleString('en-US')} ${amount === 1 ? one : many}`;
}

/** `$5.00 a day`. */
export function rateText({ unit, amount, window }: Pick<DescribedLimit, 'unit' | 'amount' | 'window'>): string {
  return `${amountText(unit, amount)}${unit === 'concurrency' ? '' : WINDOW_TEXTS[window]}`;
}

/** The label that somebody gave it, else what it says: `$5.00 a day for each user`. */
export function limitName(limit: DescribedLimit & Pick<LimitShape, 'label'>, keyName: KeyNameLookup): string {
  return limit.label ? isolated(limit.label) : `${rateText(limit)} for ${scopeText(limit.scope, keyName)}`;
}

/** Which calls it counts: `all calls`, `key night batch`, `team=search`, `each user`. */
export function scopeText(scope: LimitScope, keyName: KeyNameLookup): string {
  switch (scope.kind) {
    case 'workspace':
      return 'all calls';
    case 'key':
      return `key ${isolated(keyName(scope.keyId))}`;
    case 'provider':
      return `provider ${isolated(scope.provider)}`;
    case 'model':
      return `model ${isolated(scope.pattern)}`;
    case 'tag':
      return `${scope.key}=${isolated(scope.value)}`;
    case 'each_tag':
      return `each ${scope.key}`;
  }
}

/** What the limit will do, in sentences. @param zone the workspace's, whose days are counted */
export function limitSentence(limit: DescribedLimit, keyName: KeyNameLookup, zone: string): string {
  const { unit, action, window } = limit;
  const deed = unit === 'usd' ? 'cost' : unit === 'calls' || unit === 'concurrency' ? 'be' : 'use';
  const rule = `${subjectText(limit.scope, keyName)} may ${deed} at most ${rateText(limit)}.`;
  const then =
    action === 'block'
      ? unit === 'concurrency'
        ? 'A further one waits a moment, then is refused.'
        : 'A call that could pass that is refused before it is sent.'
      : 'Beyond that alerts are raised, and calls go on.';
  return `${rule} ${then} ${unit === 'concurrency' ? 'Each that ends makes room.' : resetText(window, zone)}`;
}

function subjectText(scope: LimitScope, keyName: KeyNameLookup): string {
  switch (scope.kind) {
    case 'workspace':
      return 'All calls together';
    case 'key':
      return `Calls of the key ${isolated(keyName(scope.keyId))}`;
    case 'provider':
      return `Calls to ${isolated(scope.provider)}`;
    case 'model':
      return `Calls to models ${isolated(scope.pattern)}`;
    case 'tag':
      return `Calls with ${scope.key}=${isolated(scope.value)}`;
    case 'each_tag':
      return `Calls of each ${scope.key}, every value counted apart,`;
  }
}

function resetText(window: LimitWindow, zone: string): string {
  switch (window) {
    case 'minute':
    case 'hour':
      return `It counts anew each ${window}.`;
    case 'day':
      return `It counts anew at midnight in ${zone}.`;
    case 'week':
      return `It counts anew each Monday in ${zone}.`;
    case 'month':
      return `It counts anew on the first of each month in ${zone}.`;
    case 'total':
      return 'It never counts anew.';
  }
}

type LimitUsage = Pick<LimitStanding, 'counted' | 'held' | 'effectiveAmount'>;

/** The part of the amount that is counted or held, 0 to 1 and beyond. Of an amount of 0, all is. */
export function fullness({ counted, held, effectiveAmount }: LimitUsage): number {
  return effectiveAmount === 0 ? 1 : (counted + held) / effectiveAmount;
}

/** `67% of $5.00 used`: it stands beside what is left, and may not be taken for it. */
export function usedText(of: LimitUsage, unit: LimitUnit): string {
  if (of.effectiveAmount === 0) return 'it allows nothing';
  return `${formatShare(fullness(of))} of ${amountText(unit, of.effectiveAmount)} used`;
}
