import type { DeliveryVerdict } from '../destinations/destination.ts';
import type { WebhookClaim, Delivery, DeliveryOutcome } from '../../storage/records/delivery-records.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/**
 * A delivery older than this is given up, and a webhook that failed all that time is disabled. Both also need the
 * minimum number of attempts below, because this machine may have slept or its clock may have been wrong.
 */
export const DELIVER_MS_MAX = 72 * HOUR;
const ATTEMPTS_MIN = 3;
const FAILURES_MIN = 10;
/** Attempts for a message whose content the receiver refuses. */
const REFUSALS_MAX = 5;
/** After this many refused messages in a row, the fault is the receiver's and not the messages'. */
const REFUSALS_IN_ROW_MAX = 5;
/** After this many failures, later messages may overtake this one, because it may be the cause. */
const FAILURES_IN_QUEUE_MAX = 3;
/** Waits between attempts, by number of failures. The last one repeats. */
const WAITS_MS = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  1 * HOUR,
  2 * HOUR,
  4 * HOUR,
  8 * HOUR,
] as const;
/** Each wait varies by up to this share, so that webhooks that failed together are not all retried together. */
const JITTER = 0.2;

interface OutcomeInput {
  readonly delivery: Pick<Delivery, 'attempts' | 'createdAt'>;
  /** State of the webhook before this attempt. */
  readonly claim: Pick<WebhookClaim, 'failures' | 'failingSince'>;
  readonly verdict: DeliveryVerdict;
  /** Epoch ms. */
  readonly at: number;
  /** Random number from 0 to 1 for this attempt. */
  readonly chance: number;
}

/** Decides after an attempt what happens to the delivery and to the queue of its webhook. */
export function decideOutcome({ delivery, claim, verdict, at, chance }: OutcomeInput): DeliveryOutcome {
  if (verdict.outcome === 'delivered') return { state: 'delivered', nextAt: at, queue: null, disable: null };
  if (verdict.outcome === 'gone') {
    const disable = 'The receiver says that this URL no longer exists.';
    return { state: 'waiting', nextAt: at, queue: { nextAt: at }, disable };
  }
  const isOld = at - delivery.createdAt >= DELIVER_MS_MAX && delivery.attempts + 1 >= ATTEMPTS_MIN;
  const failedSince = claim.failingSince ?? at;
  const disable =
    at - failedSince >= DELIVER_MS_MAX && claim.failures + 1 >= FAILURES_MIN
      ? `Every delivery has failed since ${new Date(failedSince).toISOString()}.`
      : null;
  const own = at + deliveryWaitMs(delivery.attempts, chance);
  // When every message is refused, the message is not the cause: a wrong key has the same effect.
  if (verdict.outcome === 'refused' && claim.failures < REFUSALS_IN_ROW_MAX) {
    const isLast = isOld || delivery.attempts + 1 >= REFUSALS_MAX;
    return { state: isLast ? 'failed' : 'waiting', nextAt: own, queue: { nextAt: at }, disable };
  }
  const stepsAside = delivery.attempts + 1 >= FAILURES_IN_QUEUE_MAX;
  const afterMs = verdict.outcome === 'later' ? verdict.afterMs : null;
  const queueAt = at + Math.max(deliveryWaitMs(claim.failures, chance), afterMs ?? 0);
  return {
    state: isOld ? 'failed' : 'waiting',
    nextAt: stepsAside ? Math.max(own, queueAt) : at,
    queue: { nextAt: queueAt },
    disable,
  };
}

function deliveryWaitMs(failures: number, chance: number): number {
  const wait = WAITS_MS[Math.min(failures, WAITS_MS.length - 1)] ?? HOUR;
  return Math.round(wait * (1 - JITTER + 2 * JITTER * chance));
}
