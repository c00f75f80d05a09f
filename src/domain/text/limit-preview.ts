import type { LimitAction, LimitUnit } from '../limits/limit.ts';
import type { HoldFigures } from '../limits/replay-limit.ts';
import { countNoun, formatCount } from './counts.ts';
import { formatDateTime } from './dates.ts';
import { describeShownAmount, formatAmount } from './limits.ts';

/** A preview of a limit as its sentences need it; amounts as shown. */
export interface PreviewToExplain {
  readonly unit: LimitUnit;
  readonly amount: number;
  readonly action: LimitAction;
  readonly history: {
    readonly from: string;
    readonly isComplete: boolean;
    readonly calls: number;
    readonly unpricedCalls: number;
  };
  readonly holds: HoldFigures | null;
  readonly fitAtOnce: { readonly [Figure in keyof HoldFigures]: number | null } | null;
  readonly effect: { readonly refused: number; readonly shortened: number; readonly waited: number } | null;
  /** Calls that limits refused; null = none. */
  readonly refusedCalls: {
    readonly calls: number;
    readonly isComplete: boolean;
    readonly needed: HoldFigures | null;
  } | null;
}

/** Explains what calls under a limit need and what it would have done to past ones, one sentence each. */
export function explainPreview(preview: PreviewToExplain, timeZone: string): string[] {
  const { history, effect } = preview;
  const sentences =
    history.calls === 0 || effect === null
      ? [noCalls(history, timeZone)]
      : [explainHolds(preview), explainFitting(preview), explainEffect(preview, effect, timeZone)];
  return [...sentences, explainRefused(preview)].filter((sentence) => sentence !== null);
}

/** Warns about an amount that large calls exceed alone; null = 95% of the calls fit. */
export function previewWarning({ unit, amount, holds }: PreviewToExplain): string | null {
  if (holds === null || amount >= holds.p95) return null;
  if (amount < holds.median) return `At least half of the calls need more than ${describeShownAmount(unit, amount)}.`;
  return `At least 5% of the calls need more than ${describeShownAmount(unit, amount)}.`;
}

function noCalls({ isComplete, from }: PreviewToExplain['history'], timeZone: string): string {
  if (isComplete) return 'No call was recorded in the last 7 days, so nothing can be compared.';
  return `No call was recorded since ${formatDateTime(from, timeZone)}, so nothing can be compared.`;
}

/** Says which calls the other figures leave out, and what they needed. */
function explainRefused({ unit, refusedCalls }: PreviewToExplain): string | null {
  if (refusedCalls === null) return null;
  const { calls, isComplete, needed } = refusedCalls;
  const are = calls === 1 ? 'is' : 'are';
  const refused = `${isComplete ? '' : 'At least '}${countNoun(calls, 'refused call')} ${are} not in these figures`;
  const needs = describeNeeds(unit, needed);
  return needs === null ? `${refused}.` : `${refused}: ${calls === 1 ? 'it' : 'they'} needed ${needs}.`;
}

function explainHolds({ unit, holds }: PreviewToExplain): string | null {
  const needs = describeNeeds(unit, holds);
  return needs === null ? null : `A call needs ${needs}.`;
}

function describeNeeds(unit: LimitUnit, holds: HoldFigures | null): string | null {
  if (holds === null || unit === 'calls' || unit === 'concurrency') return null;
  const { median, p95, max } = holds;
  const most = describeShownAmount(unit, max);
  if (median === max) return most;
  return `${formatAmount(unit, median, 'up')} (median), ${formatAmount(unit, p95, 'up')} (95%), at most ${most}`;
}

function explainFitting({ unit, holds, fitAtOnce }: PreviewToExplain): string | null {
  if (holds === null || fitAtOnce === null || unit === 'calls' || unit === 'concurrency') return null;
  const { median, p95 } = fitAtOnce;
  if (median === null || p95 === null) return null;
  if (median === 0) return 'The median call does not fit.';
  if (median === p95) return `${countNoun(median, 'call')} ${median === 1 ? 'fits' : 'fit'} at the same time.`;
  return `${countNoun(median, 'median call')} ${median === 1 ? 'fits' : 'fit'} at the same time, or ${formatCount(p95)} of the large ones (95%).`;
}

function explainEffect(
  { action, history }: PreviewToExplain,
  { refused, shortened, waited }: NonNullable<PreviewToExplain['effect']>,
  timeZone: string,
): string {
  const since = history.isComplete ? 'In the last 7 days' : `Since ${formatDateTime(history.from, timeZone)}`;
  const would = action === 'block' ? 'this limit would have' : 'a limit that blocks would have';
  const unpriced = history.unpricedCalls === 0 ? '' : ` (${formatCount(history.unpricedCalls)} without a price)`;
  const calls = countNoun(history.calls, 'call') + unpriced;
  if (refused + shortened + waited === 0) return `${since}, ${would} changed none of ${calls}.`;
  const parts = [`refused ${formatCount(refused)} of ${calls}`];
  if (shortened > 0) parts.push(`shortened ${formatCount(shortened)}`);
  if (waited > 0) parts.push(`made ${formatCount(waited)} wait`);
  const last = parts.pop() ?? '';
  return `${since}, ${would} ${parts.length === 0 ? last : `${parts.join(', ')} and ${last}`}.`;
}
