import { z } from 'zod';
import { TollbookError } from '../../core/errors.ts';
import { readUsd } from '../../core/money.ts';
import { inputTokens, outputTokens, totalTokens } from '../../core/usage.ts';
import { believed } from '../../storage/booked.ts';
import type { BookedEntry, TokenAmounts } from '../../storage/store.ts';
import { writtenAmount } from '../contract-limits.ts';
import { entry } from '../contract.ts';
import { endpoint } from '../endpoint.ts';
import { entryView } from './entry-view.ts';

/** Stands where the version of a price would: a person said what the call cost. */
const TOLD = 'told';

export const resolveEntry = endpoint({
  method: 'POST',
  path: '/api/manage/entries/{callId}/resolve',
  summary: 'Say what a call of uncertain cost has cost',
  description:
    'Reports and limits count that from now on. Tokens that are not given: those that are known; none for a call that cost nothing; else what limits counted so far.',
  scope: 'admin',
  body: z.strictObject({
    costUsd: writtenAmount.meta({ description: 'US dollars; 0 = the provider did not charge for it' }),
    inputTokens: z.int().min(0).optional(),
    outputTokens: z.int().min(0).optional(),
  }),
  answer: entry,
  async handle({ caller, path, body }, { entries, reports, clock }) {
    const costAfter = readUsd(body.costUsd, 'costUsd');
    const booked = await reports.entry(caller.workspaceId, path.callId);
    if (!booked)
      throw new TollbookError(
        'not_found',
        `There is no entry "${path.callId}". A call is in the book soon after it ended.`,
      );
    const tokens = tokensOf(booked, costAfter);
    const adjustment = {
      adjustmentId: `${path.callId}:${booked.adjustments.length + 1}`,
      callId: path.callId,
      workspaceId: caller.workspaceId,
      recordedAt: clock(),
      costBefore: believed(booked).cost,
      costAfter,
      priceVersion: TOLD,
      reason: `resolved by ${caller.actor}`,
      resolved: {
        inputTokens: body.inputTokens ?? tokens.inputTokens,
        outputTokens: body.outputTokens ?? tokens.outputTokens,
      },
    };
    const { inserted } = await entries.adjust([adjustment], caller.actor);
    if (inserted === 0)
      throw new TollbookError('conflict', `The entry "${path.callId}" was corrected just now; read it again.`);
    return entryView({ entry: booked.entry, adjustments: [...booked.adjustments, adjustment] });
  },
});

function tokensOf(booked: BookedEntry, cost: number): TokenAmounts {
  const { usage, counted } = believed(booked);
  if (usage) return { inputTokens: inputTokens(totalTokens(usage)), outputTokens: outputTokens(totalTokens(usage)) };
  if (cost === 0) return { inputTokens: 0, outputTokens: 0 };
  return { inputTokens: counted.inputTokens, outputTokens: counted.outputTokens };
}
