import { uncertainUpTo } from '../../domain/usage/call.ts';
import { usdFromNano } from '../../domain/money/money.ts';
import { iso } from '../../domain/time/period.ts';
import { cardVersions, joinVersions } from '../../domain/pricing/provenance.ts';
import { inputTokens, outputTokens, totalTokens } from '../../domain/usage/usage.ts';
import { believed, believedProvenance } from '../../storage/booked.ts';
import type { BookedEntry } from '../../storage/store.ts';
import type { EntryShape } from '../../contract/usage.ts';

export function entryView(booked: BookedEntry): EntryShape {
  const entry = believed(booked);
  const { cost } = entry;
  const tokens = entry.usage ? totalTokens(entry.usage) : {};
  const open = uncertainUpTo(entry);
  const provenance = believedProvenance(booked);
  const versions = provenance ? cardVersions(provenance) : [];
  return {
    id: entry.callId,
    source: entry.source,
    provider: entry.provider,
    operation: entry.operation,
    model: entry.model,
    askedModel: entry.askedModel,
    keyId: entry.keyId,
    tags: entry.tags,
    beganAt: iso(entry.beganAt),
    endedAt: iso(entry.endedAt),
    durationMs: entry.endedAt - entry.beganAt,
    firstByteMs: entry.firstByteMs,
    stream: entry.stream,
    status: entry.status,
    outcome: entry.outcome,
    doubt: entry.doubt,
    usageSource: entry.usageSource,
    inputTokens: inputTokens(tokens),
    outputTokens: outputTokens(tokens),
    thinkingTokens: entry.usage?.thinking ?? 0,
    tokens,
    uses: entry.usage?.uses ?? {},
    cost: cost === null ? null : usdFromNano(cost),
    ...(open > 0 && { uncertainUpTo: usdFromNano(open) }),
    costFrom: provenance && provenance.from,
    priceVersion: versions.length === 0 ? null : joinVersions(versions),
    requestId: entry.requestId,
    responseId: entry.responseId,
    sessionHash: entry.sessionHash,
  };
}
