import type { Entry } from '../../domain/usage/call.ts';
import { NO_TERMS } from '../../domain/usage/usage.ts';
import type { RestSum } from '../../storage/report-rest.ts';
import type { BookedEntry } from '../../storage/store.ts';

const DAY_MS = 86_400_000;

/**
 * What an organization's report of one day holds of a model beyond the calls of the gate, in the form of an entry: no
 * call stands behind it, and so no key, tag, status or request.
 */
export function restEntry(workspaceId: string, { day, provider, model, totals }: RestSum): BookedEntry {
  const { inputTokens, cacheReadTokens: cacheRead, cacheWriteTokens: cacheWrite, outputTokens } = totals;
  const tokens = { input: inputTokens - cacheRead - cacheWrite, cacheRead, cacheWrite, output: outputTokens };
  const isUnpriced = totals.unpricedCalls + totals.unpricedUses > 0;
  const cost = isUnpriced && totals.cost === 0n ? null : Number(totals.cost);
  const entry: Entry = {
    callId: ['report', provider, new Date(day).toISOString().slice(0, 10), model ?? '(none)'].join(':'),
    workspaceId,
    keyId: '',
    provider,
    operation: 'organization_report',
    askedModel: null,
    stream: false,
    tags: {},
    sessionHash: null,
    beganAt: day,
    hold: { usd: null, inputTokens: 0, outputTokens: 0 },
    touched: [],
    endedAt: day + DAY_MS,
    outcome: 'completed',
    doubt: isUnpriced ? 'no_price' : null,
    status: 0,
    usageSource: 'reported',
    usage: { inferences: [{ model: null, tokens, promptTokens: null }], uses: {}, thinking: 0, terms: NO_TERMS },
    model,
    cost,
    counted: { usd: cost, inputTokens, outputTokens },
    provenance: null,
    requestId: null,
    responseId: null,
    firstByteMs: null,
    source: 'provider_report',
  };
  return { entry, adjustments: [] };
}
