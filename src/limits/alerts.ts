import type { Alert } from '../domain/alerts/alert.ts';
import type { CallEnd } from '../domain/usage/call.ts';
import { amountIn } from '../domain/limits/counting.ts';
import { type CounterStatus, VALUES_PER_LIMIT_MAX } from '../domain/limits/limit.ts';
import { shownAmount } from '../domain/limits/limit-fields.ts';
import type { ClockStep } from './window-clock.ts';
import { NEARLY_ALL_PERCENT } from './counter.ts';
import type { Hold } from './hold.ts';
import type { ModelOverrun } from './overruns.ts';
import type { LimitSubject } from './scope-index.ts';
import { type RefusalEpisode, slowsDown } from './refusal-episodes.ts';
import { describeReset, type RefusedUnderLimit } from './refusal-errors.ts';
import { DAY_MS } from '../domain/time/units.ts';
import { describeAmount, describeLimit, describeValue, formatAmount } from '../domain/text/limits.ts';
import { raiseCommand } from '../domain/text/raise-command.ts';

const SHOWN_NAME_MAX = 100;
/** The call that a limit refused. */
export type RefusedSubject = Pick<LimitSubject, 'keyId' | 'provider' | 'model'>;

/**
 * Alert that a limit has reached a threshold, in percent of its amount; 100 = it is used up, or calls no longer fit.
 * Raised once per limit, threshold, amount, window and value; once a day for limits that only slow calls down.
 * @param isLast no further values are alerted in this window
 */
export function thresholdAlert(standing: CounterStatus, threshold: number, isLast: boolean, now: number): Alert {
  const { limit, value, windowStart, windowEnd, counted, amount } = standing;
  const slows = slowsDown(standing);
  const exceeded = threshold >= 100;
  return {
    type: slows ? 'RATE_LIMIT' : exceeded ? 'BUDGET_EXCEEDED' : 'BUDGET_WARNING',
    severity: exceeded && !slows ? 'critical' : 'warning',
    workspaceId: limit.workspaceId,
    title: thresholdTitle(standing, threshold),
    message: thresholdMessage(standing, exceeded, isLast, now),
    episode: thresholdEpisode(standing, threshold, now),
    createdAt: now,
    scope: { limit: limit.id, ...(value === '' ? {} : { value: value.slice(0, SHOWN_NAME_MAX) }) },
    value: shownAmount(limit.unit, counted),
    threshold: (shownAmount(limit.unit, amount) * threshold) / 100,
    period: windowEnd === null ? null : { start: windowStart, end: windowEnd },
    evidence: {
      unit: limit.unit,
      amount: shownAmount(limit.unit, amount),
      held: shownAmount(limit.unit, standing.held),
      ...(standing.observed !== undefined && { observed: shownAmount(limit.unit, standing.observed) }),
      windowStart,
    },
  };
}

/** Returns the episode of the alert that a limit has reached a threshold. */
export function thresholdEpisode(standing: CounterStatus, threshold: number, now: number): string {
  const { limit, value, windowStart } = standing;
  const since = slowsDown(standing) ? Math.floor(now / DAY_MS) * DAY_MS : windowStart;
  return `limit:${limit.id}:${threshold}:${amountWord(standing)}:${since}:${value}`;
}

/** Returns the amount as part of the episode: a raised limit alerts again, and once more when the raise is over. */
function amountWord({ limit, amount }: CounterStatus): string {
  const { raise } = limit;
  return raise !== null && raise.amount > limit.amount ? `${amount}:${raise.until}` : String(amount);
}

const NO_MORE = 'Many values have reached the same; no further ones are reported in this window. ';

/**
 * Alert that a limit refuses calls: the first refused call, what it needed and what helps. Limits that only slow calls
 * down raise a `RATE_LIMIT`.
 * @param isLast no further values are alerted in this window
 */
export function refusalAlert(
  refusal: RefusedUnderLimit,
  subject: RefusedSubject,
  episode: string,
  isLast: boolean,
  now: number,
): Alert {
  const { reason, standing, need, help } = refusal;
  const { limit, value, windowStart, windowEnd, counted, amount, left, held } = standing;
  const shown = (each: number | bigint): number => shownAmount(limit.unit, each);
  const slows = slowsDown(standing) && reason === 'rate_limited';
  const model = subject.model.slice(0, SHOWN_NAME_MAX);
  const { keyId, provider } = subject;
  return {
    type: slows ? 'RATE_LIMIT' : 'BUDGET_EXCEEDED',
    severity: slows ? 'warning' : 'critical',
    workspaceId: limit.workspaceId,
    // An alert that the limit is used up takes only the text of the refusal.
    title: `${nameLimit(standing)} ${episode.startsWith('limit:') ? 'is used up' : 'refuses calls'}`,
    message: `${describeRefusedCall(refusal, keyId, model)} ${describeReset(standing, now)} ${isLast ? NO_MORE : ''}${help}`,
    episode,
    createdAt: now,
    scope: {
      limit: limit.id,
      ...(value === '' ? {} : { value: value.slice(0, SHOWN_NAME_MAX) }),
      key: keyId,
      provider,
      model,
    },
    value: shown(counted),
    threshold: shown(amount),
    period: windowEnd === null ? null : { start: windowStart, end: windowEnd },
    evidence: {
      unit: limit.unit,
      amount: shown(amount),
      held: shown(held),
      windowStart,
      reason,
      key: keyId,
      model: subject.model,
      needed: need === null ? null : shown(need),
      left: shown(left),
      help,
      isUsedUp: Number(counted) * 100 >= amount * NEARLY_ALL_PERCENT,
    },
  };
}

export type StoredRefusalAlert = Alert & { readonly resolvedAt: number | null };

/** Reads the episode of a limit that refuses calls, or is used up, from its alert; null = another kind of alert. */
export function readRefusalEpisode(alert: StoredRefusalAlert): RefusalEpisode | null {
  const { scope, evidence, episode, createdAt, resolvedAt, workspaceId } = alert;
  const limitId = scope['limit'];
  const { windowStart, reason, key, model, needed, isUsedUp } = evidence;
  if (limitId === undefined || typeof windowStart !== 'number') return null;
  if (!episode.startsWith('refused:') && !episode.startsWith(`limit:${limitId}:100:`)) return null;
  const isRefusal = typeof reason === 'string' && typeof key === 'string' && typeof model === 'string';
  return {
    workspaceId,
    limitId,
    value: scope['value'] ?? '',
    windowStart,
    at: createdAt,
    episode,
    refusal: isRefusal
      ? { keyId: key, model, needed: typeof needed === 'number' ? needed : null, isUsedUp: isUsedUp === true }
      : null,
    isOpen: resolvedAt === null,
  };
}

/** A limit on each value of a tag has no counters left for a key's values. Once in each window. */
export function valuesAlert({ limit, windowStart }: CounterStatus, keyId: string, now: number): Alert {
  const values = VALUES_PER_LIMIT_MAX.toLocaleString('en');
  return {
    type: 'UNUSUAL_ACTIVITY',
    severity: 'warning',
    workspaceId: limit.workspaceId,
    title: `Limit ${limit.id} ran out of values`,
    message: `The limit of ${describeLimit(limit)} counts at most ${values} values separately, and one key can use at most as many as are free. Key ${keyId} sent one more. Until the window ends, more values share one counter with the same amount. Require tags with allowed values in the key's policy, or give each user a key with its own tag.`,
    episode: `values:${limit.id}:${windowStart}`,
    createdAt: now,
    scope: { limit: limit.id, key: keyId },
    value: null,
    threshold: VALUES_PER_LIMIT_MAX,
    period: null,
    evidence: { windowStart },
  };
}

const MEASURED = ['usd', 'input_tokens', 'output_tokens'] as const;

/**
 * Alert that a call was charged more than its cost bound. The alert keeps the ratio: until it is read, calls to the
 * model are held at that ratio, after restarts too.
 */
export function overrunAlert({ need }: Hold, { callId, counted }: CallEnd, overrun: ModelOverrun, now: number): Alert {
  const { workspaceId, provider, ratio, firstCall } = overrun;
  const unit = MEASURED.find((each) => amountIn(each, counted) > amountIn(each, need)) ?? 'usd';
  const [came, held] = [amountIn(unit, counted), amountIn(unit, need)];
  const model = overrun.model.slice(0, SHOWN_NAME_MAX);
  return {
    type: 'OVERRUN',
    severity: 'critical',
    workspaceId,
    title: `Maximum cost exceeded by ${model}`,
    message: `A call to ${model} (${provider}) used ${describeAmount(unit, came)}; its calculated maximum was ${describeAmount(unit, held)}. Until this alert is marked as read, calls to this model with any key of the workspace are held at ${ratio.toFixed(2)} times their maximum and may be refused.`,
    episode: `overrun:${firstCall}`,
    createdAt: now,
    scope: { provider, model },
    value: shownAmount(unit, came),
    threshold: shownAmount(unit, held),
    period: null,
    evidence: { provider, model: overrun.model, ratio, firstCall, callId, need, counted },
  };
}

/**
 * Alert that unbounded work cost more than the key's policy assumes, which no limit held. Raised once a day per key.
 */
export function presumedAlert({ subject, need }: Hold, { callId, counted }: CallEnd, now: number): Alert {
  const { workspaceId, keyId, provider } = subject;
  const model = subject.model.slice(0, SHOWN_NAME_MAX);
  const [came, held] = [amountIn('usd', counted), amountIn('usd', need)];
  return {
    type: 'OVERRUN',
    severity: 'warning',
    workspaceId,
    title: `Calls of key ${keyId} cost more than assumed`,
    message: `A call to ${model} (${provider}) cost ${describeAmount('usd', came)}; its work has no upper bound, and the policy of its key assumes ${describeAmount('usd', held)}. Limits count the rest but do not hold it. Assume a higher cost on the key's page in the dashboard, or with: tollbook policies set ${keyId} --presume USD.`,
    episode: `presumed:${keyId}:${Math.floor(now / DAY_MS)}`,
    createdAt: now,
    scope: { key: keyId, provider, model },
    value: shownAmount('usd', came),
    threshold: shownAmount('usd', held),
    period: null,
    evidence: { callId, need, counted },
  };
}

/** Reads the overrun of a model from an unread alert; null = another kind of alert, or one without a ratio. */
export function readOverrun({
  type,
  workspaceId,
  evidence,
}: Pick<Alert, 'type' | 'workspaceId' | 'evidence'>): ModelOverrun | null {
  const { provider, model, ratio, firstCall } = evidence;
  if (type !== 'OVERRUN' || typeof provider !== 'string' || typeof model !== 'string') return null;
  if (typeof ratio !== 'number' || typeof firstCall !== 'string') return null;
  return { workspaceId, provider, model, ratio, firstCall };
}

/** Alert that the wall clock made a step that windows of limits could not follow. */
export function clockAlert(step: ClockStep, ms: number, workspaceId: string, now: number): Alert {
  const seconds = Math.round(ms / 1_000);
  const what =
    step === 'jumped_ahead'
      ? `The system's clock is ${seconds} s ahead of where it was, and has stayed there: limits now follow it.`
      : `The system's clock is ${seconds} s behind where it was. Limit windows continue in their own time until it catches up.`;
  return {
    type: 'UNUSUAL_ACTIVITY',
    severity: 'warning',
    workspaceId,
    title: 'The clock jumped',
    message: `${what} Check the machine's time.`,
    episode: `clock:${step}:${Math.floor(now / DAY_MS)}`,
    createdAt: now,
    scope: {},
    value: seconds,
    threshold: null,
    period: null,
    evidence: {},
  };
}

function nameLimit({ limit, value, amount }: CounterStatus): string {
  const which = describeValue(limit, value.slice(0, SHOWN_NAME_MAX));
  const name =
    limit.label === null ? `The limit of ${describeLimit({ ...limit, amount })}` : `The limit "${limit.label}"`;
  return which === '' ? name : `${name} (${which})`;
}

function describeRefusedCall({ standing, need, unbounded }: RefusedUnderLimit, key: string, model: string): string {
  const { limit, left, amount } = standing;
  const call = `A call of key ${key} to ${model}`;
  if (unbounded !== undefined) return `${call} has no upper bound (${unbounded}), so this limit can't hold it.`;
  if (need === null) return `${call}, or something that it asks for, has no known price, so this limit can't hold it.`;
  const [needed, whole] = [describeAmount(limit.unit, need, 'up'), describeAmount(limit.unit, amount)];
  const rest = formatAmount(limit.unit, shownAmount(limit.unit, left), 'down');
  return `${call} needs up to ${needed}; left: ${rest} of ${whole}.`;
}

function thresholdTitle(standing: CounterStatus, threshold: number): string {
  const name = nameLimit(standing);
  if (threshold < 100) return `${name} has reached ${threshold}%`;
  const isNothing = standing.amount === 0;
  return isNothing || standing.counted < standing.amount ? `${name} refuses calls` : `${name} is used up`;
}

function thresholdMessage(standing: CounterStatus, exceeded: boolean, isLast: boolean, now: number): string {
  const { limit, counted, held, left, amount } = standing;
  const { id, unit } = limit;
  const [countedText, all] = [counted, amount].map((each) => describeAmount(unit, each));
  const rest = describeAmount(unit, left, 'down');
  const open = held > 0 ? `, open calls hold ${describeAmount(unit, held, 'up')}` : '';
  const observed = standing.observed ? `, ${describeAmount(unit, standing.observed)} of it observed calls` : '';
  const figures = `${nameLimit(standing)} has counted ${countedText} of ${all}${observed}${open}; left: ${rest}.`;
  const resets = `${describeReset(standing, now)} ${isLast ? NO_MORE : ''}`;
  if (!exceeded) return `${figures} ${resets}`.trimEnd();
  if (limit.action === 'warn') return `${figures} Calls continue: it only warns. ${resets}`.trimEnd();
  const used = shownAmount(unit, Number(counted) + Number(held));
  const raise = raiseCommand({ id, unit, amount: shownAmount(unit, amount), used });
  return `${figures} Calls that do not fit are refused. ${resets}Raise it on its page in the dashboard, or with: ${raise}`;
}
