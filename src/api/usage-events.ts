import type { UsageEvent } from '../contract/observed.ts';
import { TollbookError } from '../domain/errors.ts';
import { readUsd } from '../domain/money/money.ts';
import { isObservable, type ObservedCall } from '../domain/observed/observed-call.ts';
import { parseTags } from '../domain/usage/tags.ts';
import { inputTokens, NO_TERMS, type TokenCounts, type Usage } from '../domain/usage/usage.ts';
import { endpoint } from './http/endpoint.ts';
import type { TelemetryServices } from './telemetry.ts';

export const receiveUsageEvents = endpoint(
  'POST /api/usage/events',
  async ({ caller: { workspaceId, actor }, body: { events } }, services: TelemetryServices) => {
    const at = services.clock();
    const calls = events.map((event, index) => toEventCall(event, `events.${index}`, actor, at));
    const { stored, known } = await services.observed.observe({ workspaceId, calls, at }, services.pricingOf);
    await services.computeSessions();
    return { events: events.length, stored, known };
  },
);

function toEventCall(event: UsageEvent, param: string, tokenId: string, now: number): ObservedCall {
  const startedAt = Date.parse(event.time);
  if (!isObservable(startedAt, now))
    throw new TollbookError(
      'unprocessable',
      `${param}.time is more than 30 days ago, or in the future.`,
      `${param}.time`,
    );
  const usage = readEventUsage(event, param);
  const statedCost = event.costUsd === undefined ? null : readUsd(event.costUsd, `${param}.costUsd`);
  if (!usage && statedCost === null)
    throw new TollbookError('unprocessable', `${param} has neither tokens nor costUsd. Send one of them.`, param);
  const { session = null, agent = null, run = null } = event;
  return {
    observationId: `event:${event.id}`,
    source: 'usage_event',
    signal: 'event',
    assistant: null,
    tokenId,
    providerIds: [event.requestId, event.responseId].filter((id) => id !== undefined),
    callId: event.callId ?? null,
    provider: event.provider,
    model: event.model,
    startedAt,
    endedAt: startedAt + (event.durationMs ?? 0),
    session: null,
    context: { session, agent, parentAgent: null, run, requestClass: null },
    tags: parseTags(event.tags ?? {}),
    usage,
    statedCost,
  };
}

/** Returns null if the event has no tokens. */
function readEventUsage(event: UsageEvent, param: string): Usage | null {
  const { cacheCreationTokens: writes = 0, cacheCreation1hTokens: hours = 0, webSearches = 0 } = event;
  if (hours > writes)
    throw new TollbookError(
      'unprocessable',
      `${param}.cacheCreation1hTokens is a part of cacheCreationTokens, but is larger.`,
      `${param}.cacheCreation1hTokens`,
    );
  const counts = { input: event.inputTokens, cacheRead: event.cacheReadTokens, output: event.outputTokens };
  const isTold = Object.values(counts).some((count) => count !== undefined) || writes + webSearches > 0;
  if (!isTold) return null;
  const tokens: TokenCounts = Object.fromEntries(
    Object.entries({ ...counts, ...cacheWrites(event.provider, writes, hours) }).filter(([, count]) => count),
  );
  return {
    inferences: [{ model: null, tokens, promptTokens: inputTokens(tokens) }],
    uses: webSearches > 0 ? { webSearch: webSearches } : {},
    thinking: 0,
    terms: NO_TERMS,
  };
}

/** Anthropic charges cache writes by their lifetime. */
function cacheWrites(provider: string, writes: number, hours: number): TokenCounts {
  if (provider !== 'anthropic') return { cacheWrite: writes };
  return { cacheWrite5m: writes - hours, cacheWrite1h: hours };
}
