import { readEachValue } from '../limits/each-value.ts';
import {
  type CallName,
  type Limit,
  type LimitScope,
  type LimitUnit,
  type LimitWindow,
  NO_VALUE,
  OTHER_VALUE,
} from '../limits/limit.ts';
import type { WholeAmount } from '../money/money.ts';
import { countNoun, formatCount } from './counts.ts';
import { formatDollars, formatUsd, type UsdRounding } from './money.ts';
import { formatPercent } from './percent.ts';

/*
 * Amounts of a limit have two forms: internal ones are nano-USD or counts; shown ones, as in JSON, are dollars or counts.
 */

/** Returns the text of a name that a user chose, ready for the place where it is shown. */
type QuoteName = (name: string) => string;
type KeyNameLookup = (id: string) => string;

const asIs = (text: string): string => text;

const NOUNS: Readonly<Record<Exclude<LimitUnit, 'usd'>, string>> = {
  calls: 'call',
  tokens: 'token',
  input_tokens: 'input token',
  output_tokens: 'output token',
  concurrency: 'concurrent call',
};

const PER_WINDOW: Readonly<Record<LimitWindow, string>> = {
  minute: ' a minute',
  hour: ' an hour',
  day: ' a day',
  week: ' a week',
  month: ' a month',
  total: ' in total',
};

/** Describes a limit with its internal amount: `$5.00 a day for each user`, `8 concurrent calls for key batch`. */
export function describeLimit(
  { unit, amount, window, scope }: Pick<Limit, 'unit' | 'amount' | 'window' | 'scope'>,
  keyName?: KeyNameLookup,
): string {
  return `${describeAmount(unit, amount)}${perWindow(unit, window)} for ${describeScope(scope, keyName)}`;
}

/** Describes an internal amount: `$5.00`, `1 call`, `12,000 input tokens`. */
export function describeAmount(unit: LimitUnit, amount: WholeAmount, rounding?: UsdRounding): string {
  return unit === 'usd' ? formatUsd(amount, rounding) : countNoun(amount, NOUNS[unit]);
}

/** Describes a shown amount: `$5.00`, `1 call`, `12,000 input tokens`. */
export function describeShownAmount(unit: LimitUnit, shown: number, rounding?: UsdRounding): string {
  return unit === 'usd' ? formatDollars(shown, rounding) : countNoun(shown, NOUNS[unit]);
}

/** Lists the parts of limits that a node has: `$12.50, 40 calls`. */
export function describeGrants(grants: readonly { readonly unit: LimitUnit; readonly amount: number }[]): string {
  return grants.length === 0 ? '–' : grants.map(({ unit, amount }) => describeShownAmount(unit, amount)).join(', ');
}

/** Formats a shown amount without its noun: `$12.50`, `1,000,000`. */
export function formatAmount(unit: LimitUnit, shown: number, rounding?: UsdRounding): string {
  return unit === 'usd' ? formatDollars(shown, rounding) : formatCount(shown);
}

/** Names what a unit counts: `USD`, `input tokens`, `concurrent calls`. */
export function describeUnit(unit: LimitUnit): string {
  return unit === 'usd' ? 'USD' : `${NOUNS[unit]}s`;
}

/** Describes the rate of a limit with its shown amount: `$5.00 a day`. */
export function describeRate({ unit, amount, window }: ShownRate): string {
  return describeShownAmount(unit, amount) + perWindow(unit, window);
}

type ShownRate = Pick<Limit, 'unit' | 'window'> & { readonly amount: number };

function perWindow(unit: LimitUnit, window: LimitWindow): string {
  return unit === 'concurrency' ? '' : PER_WINDOW[window];
}

/** Names the calls that a limit counts: `all calls`, `key night batch`, `model claude-*`, `team=search`, `each user`. */
export function describeScope(scope: LimitScope, keyName: KeyNameLookup = asIs, quote: QuoteName = asIs): string {
  switch (scope.kind) {
    case 'workspace':
      return 'all calls';
    case 'key':
      return `key ${quote(keyName(scope.keyId))}`;
    case 'provider':
      return `provider ${quote(scope.provider)}`;
    case 'model':
      return `model ${quote(scope.pattern)}`;
    case 'tag':
      return `${scope.key}=${quote(scope.value)}`;
    case 'each_tag':
      return `each ${scope.key}`;
    case 'each':
      return scope.keyId === null ? `each ${scope.of}` : `each ${scope.of} of key ${quote(keyName(scope.keyId))}`;
  }
}

/** Names one counter of a limit that counts each value separately: `user=ann`. Other limits give ''. */
export function describeValue({ scope }: Pick<Limit, 'scope'>, value: string): string {
  if (scope.kind === 'each') return describeEachValue(scope.of, value);
  if (scope.kind !== 'each_tag') return '';
  if (value === NO_VALUE) return `calls without ${scope.key}`;
  if (value === OTHER_VALUE) return `other values of ${scope.key}`;
  return `${scope.key}=${value}`;
}

/** Names a session, agent or run: `session 2f6c`, `agent reviewer of session 2f6c`. */
function describeEachValue(of: CallName, value: string): string {
  const { session, agent, run } = readEachValue(of, value);
  if (of === 'run') return run === null ? 'calls without a run' : `run ${run}`;
  const ofSession = session === null ? null : `session ${shortSession(session)}`;
  if (of === 'session') return ofSession ?? 'calls without a session';
  if (agent === null) return ofSession === null ? 'calls without an agent' : `main agent of ${ofSession}`;
  return `agent ${agent} ${ofSession === null ? 'without a session' : `of ${ofSession}`}`;
}

const HASH = /^[0-9a-f]{64}$/;
const HASH_SHOWN = 12;

/** Returns the name of a session for people: the beginning, if it is the hash of an assistant session. */
export function shortSession(session: string): string {
  return HASH.test(session) ? session.slice(0, HASH_SHOWN) : session;
}

/** Describes what is left: rounded down, so that it never looks like more than there is. */
export function describeRemaining(unit: LimitUnit, shown: number): string {
  return describeShownAmount(unit, shown, 'down');
}

/** Describes what a call needs: rounded up, so that what looks enough is enough. */
export function describeNeeded(unit: LimitUnit, shown: number): string {
  return describeShownAmount(unit, shown, 'up');
}

/** A limit as its sentence needs it; `amount` as shown. */
export interface LimitToExplain extends ShownRate {
  readonly scope: LimitScope;
  readonly action: Limit['action'];
}

/** Explains what a limit does. `timeZone` is the workspace's: its calendar decides when the limit resets. */
export function explainLimit(
  limit: LimitToExplain,
  keyName: KeyNameLookup,
  timeZone: string,
  quote: QuoteName = asIs,
): string {
  const { unit, action, window } = limit;
  const verb = unit === 'usd' ? 'cost' : unit === 'calls' || unit === 'concurrency' ? 'be' : 'use';
  const rule = `${countedCalls(limit.scope, keyName, quote)} may ${verb} at most ${describeRate(limit)}.`;
  return `${rule} ${explainAction(unit, action)} ${unit === 'concurrency' ? 'Each call that ends makes room for another.' : explainReset(window, timeZone)}`;
}

function explainAction(unit: LimitUnit, action: Limit['action']): string {
  if (action === 'warn') return 'The limit raises alerts and refuses no calls.';
  return unit === 'concurrency'
    ? 'Further calls wait briefly, then are refused.'
    : `Calls that would exceed it are ${unit === 'calls' ? '' : 'shortened or '}refused before they are sent.`;
}

function countedCalls(scope: LimitScope, keyName: KeyNameLookup, quote: QuoteName): string {
  switch (scope.kind) {
    case 'workspace':
      return 'All calls together';
    case 'key':
      return `Calls of the key ${quote(keyName(scope.keyId))}`;
    case 'provider':
      return `Calls to ${quote(scope.provider)}`;
    case 'model':
      return `Calls to models ${quote(scope.pattern)}`;
    case 'tag':
      return `Calls with ${scope.key}=${quote(scope.value)}`;
    case 'each_tag':
      return `Calls of each ${scope.key} (counted separately)`;
    case 'each': {
      const ofKey = scope.keyId === null ? '' : ` of the key ${quote(keyName(scope.keyId))}`;
      const children = scope.of === 'agent' ? ', with the agents that it starts' : '';
      return `Calls of each ${scope.of}${ofKey} (counted separately${children})`;
    }
  }
}

function explainReset(window: LimitWindow, timeZone: string): string {
  switch (window) {
    case 'minute':
    case 'hour':
      return `It resets every ${window}.`;
    case 'day':
      return `It resets daily at midnight (${timeZone}).`;
    case 'week':
      return `It resets every Monday (${timeZone}).`;
    case 'month':
      return `It resets on the first of each month (${timeZone}).`;
    case 'total':
      return 'It never resets.';
  }
}

/** Shown amounts of one counter. */
interface CounterUse {
  readonly counted: number;
  readonly held: number;
  readonly effectiveAmount: number;
}

/** Returns the share of the amount that is used or reserved: 0 to 1 and beyond. An amount of 0 is always full. */
export function takenShare({ counted, held, effectiveAmount }: CounterUse): number {
  return effectiveAmount === 0 ? 1 : (counted + held) / effectiveAmount;
}

/** Describes how much of the amount is taken: `50% of $5.00 used, 17% reserved`. */
export function describeUse({ counted, held, effectiveAmount }: CounterUse, unit: LimitUnit): string {
  if (effectiveAmount === 0) return 'Allows nothing';
  const used = `${formatPercent(counted / effectiveAmount)} of ${describeShownAmount(unit, effectiveAmount)} used`;
  return held === 0 ? used : `${used}, ${formatPercent(held / effectiveAmount)} reserved`;
}
