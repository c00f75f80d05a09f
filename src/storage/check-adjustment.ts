import { isUncertain } from '../domain/usage/call.ts';
import { TollbookError } from '../domain/errors.ts';
import { effectiveEntry, effectiveCost } from './booked.ts';
import type { Adjustment, RecordedEntry } from './store.ts';

/** A correction made from a stale reading would be counted on top of the one it did not see. */
export function checkAdjustment({ callId, costBefore, costAfter, resolved }: Adjustment, booked: RecordedEntry): void {
  const cost = effectiveCost(booked);
  if (costBefore !== cost)
    throw new TollbookError(
      'conflict',
      `The book believes that call ${callId} cost ${cost} nano-USD, the adjustment starts from ${costBefore}; read the entry again.`,
    );
  if (!resolved) return;
  if (costAfter === null)
    throw new TollbookError('invalid', 'Say what the call cost; 0 if it cost nothing.', 'costAfter');
  if (booked.entry.outcome === 'not_sent' || !isUncertain(effectiveEntry(booked)))
    throw new TollbookError('impossible', `Nothing about call ${callId} is uncertain; there is nothing to resolve.`);
}
