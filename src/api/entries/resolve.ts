import { z } from 'zod';
import { isUncertain } from '../../domain/usage/call.ts';
import { TollbookError } from '../../domain/errors.ts';
import { formatAmount } from '../../domain/limits/limit-fields.ts';
import { readUsd, usdFromNano } from '../../domain/money/money.ts';
import { inputTokens, outputTokens, totalTokens } from '../../domain/usage/usage.ts';
import { believed } from '../../storage/booked.ts';
import type { Adjustment, BookedEntry, TokenAmounts } from '../../storage/store.ts';
import { writtenAmount } from '../../contract/limits.ts';
import { entry } from '../../contract/usage.ts';
import { endpoint } from '../http/endpoint.ts';
import { entryView } from './entry-view.ts';

export const resolveEntry = endpoint({
  method: 'POST',
  path: '/api/manage/entries/{callId}/resolve',
  summary: 'Say what a call of uncertain cost has cost',
  description:
    'Reports and limits count that from now on. Tokens that are not given: those that are known; none for a call that cost nothing; else what limits counted so far.',
  scope: 'admin',
  right: 'manage',
  body: z.strictObject({
    costUsd: writtenAmount.meta({ description: 'US dollars; 0 = the provider did not charge for it' }),
    inputTokens: z.int().min(0).optional(),
    outputTokens: z.int().min(0).optional(),
    beyondBound: z.boolean().optional().meta({ description: 'Take a cost above what limits hold for the call' }),
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
    if (!body.beyondBound) requireWithinBound(booked, costAfter);
    const tokens = tokensOfResolved(booked, costAfter);
    const adjustment: Adjustment = {
      adjustmentId: `${path.callId}:${booked.adjustments.length + 1}`,
      callId: path.callId,
      workspaceId: caller.workspaceId,
      recordedAt: clock(),
      costBefore: believed(booked).cost,
      costAfter,
      provenance: { from: 'person' },
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

/** It can't be taken back, and a slip of the decimal point would use up limits. */
function requireWithinBound(booked: BookedEntry, cost: number): void {
  const { doubt, counted } = believed(booked);
  const bound = counted.usd;
  if (!isUncertain({ doubt }) || bound === null || cost <= bound) return;
  throw new TollbookError(
    'impossible',
    `This call can have cost ${formatAmount('usd', usdFromNano(bound), 'up')} at most by the prices Tollbook knows. If the provider really charged more, say so with "beyondBound": true (--beyond-bound).`,
    'costUsd',
  );
}

function tokensOfResolved(booked: BookedEntry, cost: number): TokenAmounts {
  const { usage, counted } = believed(booked);
  if (usage) return { inputTokens: inputTokens(totalTokens(usage)), outputTokens: outputTokens(totalTokens(usage)) };
  if (cost === 0) return { inputTokens: 0, outputTokens: 0 };
  return { inputTokens: counted.inputTokens, outputTokens: counted.outputTokens };
}
