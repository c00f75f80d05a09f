import { countNoun } from './counts.ts';
import { describeDuration } from './durations.ts';

/** One attempt to deliver a message. */
interface AttemptToDescribe {
  readonly ms: number;
  /** HTTP status or mail code; null = no response. */
  readonly status: number | null;
  readonly error: string | null;
  readonly response: string | null;
}

interface DeliveryToDescribe {
  readonly state: 'waiting' | 'delivered' | 'failed';
  readonly attempts: readonly AttemptToDescribe[];
}

export const DELIVERY_STATE_NAMES = { waiting: 'Waiting', delivered: 'Delivered', failed: 'Failed' } as const;

export const DELIVERY_KIND_NAMES = {
  alert: 'Alert',
  resolved: 'Alert resolved',
  test: 'Test',
  digest: 'Weekly digest',
} as const;

/** Describes the outcome of one attempt: `status 200 after 87 ms`, `no response after 1.24 s`. */
export function describeAttempt({ status, ms }: Pick<AttemptToDescribe, 'status' | 'ms'>): string {
  return `${status === null ? 'no response' : `status ${status}`} after ${describeDuration(ms)}`;
}

/** Counts the attempts, with the last status: `1 attempt, 200`, `3 attempts`. */
export function describeAttempts(attempts: readonly Pick<AttemptToDescribe, 'status'>[]): string {
  const status = attempts.at(-1)?.status;
  return `${countNoun(attempts.length, 'attempt')}${status ? `, ${status}` : ''}`;
}

/** Describes in a sentence how a message went that was sent just now. */
export function describeDelivery({ state, attempts }: DeliveryToDescribe): string {
  const last = attempts.at(-1);
  if (!last) return 'Queued.';
  if (state === 'delivered') return `Delivered in ${describeDuration(last.ms)} (${last.status ?? 'sent'}).`;
  return `Not delivered: ${[last.error ?? describeAttempt(last), last.response].filter(Boolean).join(' ')}`;
}
