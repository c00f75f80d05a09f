import type { DeliveryVerdict } from '../destinations/destination.ts';
import type { WebhookClaim, Delivery, DeliveryOutcome } from '../../storage/records/delivery-records.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/**
 * What is not delivered by then is given up, and a webhook that failed all that time is disabled; where this machine
 * slept, or its clock was wrong, not before the attempts below.
 */
export const DELIVER_MS_MAX = 72 * HOUR;
const ATTEMPTS_MIN = 3;
const FAILURES_MIN = 10;
/** A receiver that refuses what a message holds, and nothing else, is asked so often. */
const REFUSALS_MAX = 5;
/** A receiver that refuses so many in a row, and takes none between, is in trouble. */
const REFUSALS_IN_ROW_MAX = 5;
/** A message that fails more often lets those behind it pass: it may be its fault. */
const FAILURES_IN_LINE_MAX = 3;
/** Waits between attempts, by how many have failed; the last is repeated. */
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
/** Waits differ by up to this share, so that receivers that failed together are not all asked together. */
const JITTER = 0.2;

interface OutcomeInput {
  readonly delivery: Pick<Delivery, 'attempts' | 'createdAt'>;
  /** How its webhook stood before. */
  readonly claim: Pick<WebhookClaim, 'failures' | 'failingSince'>;
  readonly verdict: DeliveryVerdict;
  /** Epoch ms. */
  readonly at: number;
  /** From 0 to 1, drawn for this attempt. */
  readonly chance: number;
}

/** What becomes of a delivery and of its webhook's line after an attempt. */
export function decideOutcome({ delivery, claim, verdict, at, chance }: OutcomeInput): DeliveryOutcome {
  if (verdict.outcome === 'delivered') return { state: 'delivered', nextAt: at, line: null, disable: null };
  if (verdict.outcome === 'gone') {
    const disable = 'The receiver says that there is nobody at this address any more.';
    return { state: 'waiting', nextAt: at, line: { nextAt: at }, disable };
  }
  const isOld = at - delivery.createdAt >= DELIVER_MS_MAX && delivery.attempts + 1 >= ATTEMPTS_MIN;
  const failedSince = claim.failingSince ?? at;
  const disable =
    at - failedSince >= DELIVER_MS_MAX && claim.failures + 1 >= FAILURES_MIN
      ? `Nothing could be delivered since ${new Date(failedSince).toISOString()}.`
      : null;
  const own = at + deliveryWaitMs(delivery.attempts, chance);
  // Where nothing passes any more it is not the message: a wrong key is answered so too.
  if (verdict.outcome === 'refused' && claim.failures < REFUSALS_IN_ROW_MAX) {
    const isLast = isOld || delivery.attempts + 1 >= REFUSALS_MAX;
    return { state: isLast ? 'failed' : 'waiting', nextAt: own, line: { nextAt: at }, disable };
  }
  const stepsAside = delivery.attempts + 1 >= FAILURES_IN_LINE_MAX;
  const afterMs = verdict.outcome === 'later' ? verdict.afterMs : null;
  const lineAt = at + Math.max(deliveryWaitMs(claim.failures, chance), afterMs ?? 0);
  return {
    state: isOld ? 'failed' : 'waiting',
    nextAt: stepsAside ? Math.max(own, lineAt) : at,
    line: { nextAt: lineAt },
    disable,
  };
}

function deliveryWaitMs(failures: number, chance: number): number {
  const wait = WAITS_MS[Math.min(failures, WAITS_MS.length - 1)] ?? HOUR;
  return Math.round(wait * (1 - JITTER + 2 * JITTER * chance));
}
