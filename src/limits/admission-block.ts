import { amountIn } from '../domain/limits/counting.ts';
import type { CallAmounts } from '../domain/usage/call.ts';
import { amountAt } from '../domain/limits/limit.ts';
import { addWhole } from '../domain/money/money.ts';
import type { LimitCounter } from './counter.ts';
import type { LeaseRoom } from './counter-lease.ts';

/**
 * Why a call can't be admitted now, mildest first:
 * - `in_flight`: it would fit if the open calls were settled, or if other nodes returned what they don't use
 * - `rate_limited`: the amount of this minute or hour is used; the next one has room for it
 * - `exceeds_limit`: something is left, and the call needs more
 * - `spent`: nothing is left
 */
const BLOCK_REASONS = ['in_flight', 'rate_limited', 'exceeds_limit', 'spent'] as const;
export type BlockReason = (typeof BLOCK_REASONS)[number];

/** The counter that blocks a call most. */
export interface AdmissionBlock {
  readonly reason: BlockReason;
  readonly counter: LimitCounter;
  /** Amount that the call needs, in the limit's unit. */
  readonly need: number;
  /** The ledger must say first what the counter has counted; absent = it did. */
  readonly isUnread?: true;
  /** The node has no lease, or no part of the counter yet; absent = it has. */
  readonly isUnleased?: true;
}

/**
 * Finds the counter that blocks a call most; null = none.
 * @param behindKey calls of this key that wait under a counter go first; null = the call is one of those
 * @param mayAsk also what other nodes may return is room
 */
export function findBlock(
  counters: readonly LimitCounter[],
  need: CallAmounts,
  now: number,
  behindKey: string | null,
  mayAsk = false,
): AdmissionBlock | null {
  let worst: AdmissionBlock | null = null;
  for (const counter of counters) {
    const { limit } = counter;
    if (!counter.isLoaded) return { reason: 'in_flight', counter, need: amountIn(limit.unit, need), isUnread: true };
    if (limit.action !== 'block') continue;
    const amount = amountIn(limit.unit, need);
    // A call that costs nothing passes even where nothing is left.
    if (amount === 0) continue;
    const found = counter.room(amount);
    const room = mayAsk && found !== 'fits' ? null : found;
    const reason = blockReason(counter, amount, room, now, behindKey);
    if (reason === null) continue;
    if (!worst || BLOCK_REASONS.indexOf(reason) > BLOCK_REASONS.indexOf(worst.reason))
      worst = { reason, counter, need: amount, ...(room === 'unleased' && { isUnleased: true }) };
  }
  return worst;
}

/** Asks the authority for what a call lacks under its counters. */
export function askLeases(counters: readonly LimitCounter[], need: CallAmounts): void {
  for (const { limit, lease } of counters) {
    const amount = amountIn(limit.unit, need);
    if (lease && limit.action === 'block' && amount > 0) lease.ask(amount);
  }
}

function blockReason(
  counter: LimitCounter,
  need: number,
  room: LeaseRoom | null,
  now: number,
  behindKey: string | null,
): BlockReason | null {
  const { limit, counted, held } = counter;
  const amount = amountAt(limit, now);
  const alone = addWhole(counted, need);
  // Of a shared counter, the authority says whether a need is spent: `counted` is a little behind.
  if (room === null ? alone <= amount : room !== 'spent' || alone <= amount) {
    const isBehind = counter.waiting > 0 && behindKey !== null && counter.waitingCalls(behindKey) > 0;
    const fits = room === null ? addWhole(alone, held) <= amount : room === 'fits';
    return isBehind || !fits ? 'in_flight' : null;
  }
  if (limit.unit === 'concurrency') return 'exceeds_limit';
  if ((limit.window === 'minute' || limit.window === 'hour') && need <= amount) return 'rate_limited';
  return counted >= amount ? 'spent' : 'exceeds_limit';
}
