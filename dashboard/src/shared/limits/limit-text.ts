import type { LimitShape, LimitStanding } from '../../../../src/contract/limits.ts';
import { isolated } from '../format/isolated.ts';
import { formatUsd } from '../format/money.ts';
import { formatShare } from '../format/number.ts';

export type LimitScope = LimitShape['scope'];
export type LimitUnit = LimitShape['unit'];
export type LimitWindow = LimitShape['window'];

/** The fields of a limit that describe it. */
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

/** Returns the label of a limit, or its description: `$5.00 a day for each user`. */
export function limitName(limit: DescribedLimit & Pick<LimitShape, 'label'>, keyName: KeyNameLookup): string {
  return limit.label ? isolated(limit.label) : `${rateText(limit)} for ${scopeText(limit.scope, keyName)}`;
}

/** Describes the calls that a limit counts: `all calls`, `key night batch`, `team=search`, `each user`. */
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

/** Describes the effect of a limit in sentences. @param zone time zone of the workspace */
export function limitSentence(limit: DescribedLimit, keyName: KeyNameLookup, zone: string): string {
  const { unit, action, window } = limit;
  const verb = unit === 'usd' ? 'cost' : unit === 'calls' || unit === 'concurrency' ? 'be' : 'use';
  const rule = `${subjectText(limit.scope, keyName)} may ${verb} at most ${rateText(limit)}.`;
  const then =
    action === 'block'
      ? unit === 'concurrency'
        ? 'Further calls wait briefly, then are refused.'
        : 'Calls that would exceed it are refused before they are sent.'
      : 'Above that, alerts are raised and calls continue.';
  return `${rule} ${then} ${unit === 'concurrency' ? 'Each call that ends makes room for another.' : resetText(window, zone)}`;
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
      return `Calls of each ${scope.key} (counted separately)`;
  }
}

function resetText(window: LimitWindow, zone: string): string {
  switch (window) {
    case 'minute':
    case 'hour':
      return `It resets every ${window}.`;
    case 'day':
      return `It resets daily at midnight (${zone}).`;
    case 'week':
      return `It resets every Monday (${zone}).`;
    case 'month':
      return `It resets on the first of each month (${zone}).`;
    case 'total':
      return 'It never resets.';
  }
}

type LimitUsage = Pick<LimitStanding, 'counted' | 'held' | 'effectiveAmount'>;

/** Returns the used and held part of the amount, 1 = full; a limit of 0 is always full. */
export function fullness({ counted, held, effectiveAmount }: LimitUsage): number {
  return effectiveAmount === 0 ? 1 : (counted + held) / effectiveAmount;
}

/** Describes the used part: `67% of $5.00 used`. */
export function usedText(of: LimitUsage, unit: LimitUnit): string {
  if (of.effectiveAmount === 0) return 'Allows nothing';
  return `${formatShare(fullness(of))} of ${amountText(unit, of.effectiveAmount)} used`;
}
