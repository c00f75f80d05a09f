import { callPrices } from '../prices/call-prices.ts';
import { BATCHES, type Entry, isUncertain } from '../domain/usage/call.ts';
import { settleCall } from '../domain/usage/settle.ts';
import { inputTokens, outputTokens, totalTokens } from '../domain/usage/usage.ts';
import { TollbookError } from '../domain/errors.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from '../domain/time/units.ts';
import { asObject, asText, type JsonObject } from '../lib/json/values.ts';
import { withGeo } from '../providers/provider-host.ts';
import type { Provider, UsageReader } from '../providers/provider.ts';
import { effectiveEntry } from '../storage/effective-entry.ts';
import type { RecordedEntry } from '../storage/usage-queries.ts';
import type { GatewayKey } from '../domain/identity/wrapped-key.ts';
import { fetchFromProvider, readAnswerText } from './fetch-from-provider.ts';
import { type OpenCallOutcome, type OpenCallParts, type OpenCalls, openCallsJob } from './open-calls.ts';
import type { Job } from './schedule.ts';

export const READ_BACKGROUND_RESPONSES = 'read_background_responses';
/** A provider keeps a response for about ten minutes after its end, unless it is to be stored. */
const EVERY_MS = 30 * SECOND_MS;
/** OpenAI ends a response after less time. */
const LOOKED_MS = DAY_MS + HOUR_MS;
const ANSWER_MS_MAX = 30 * SECOND_MS;
const ANSWER_BYTES_MAX = 64 * 1_048_576;
const REASON = 'read from the provider after the response had ended';
/** States in which the provider still works. */
const RUNNING = new Set<unknown>(['queued', 'in_progress']);

export interface BackgroundJobParts extends OpenCallParts {
  readonly background: OpenCalls;
}

/**
 * Reads responses that run in the background once they have ended, and corrects their calls. Until then a call counts with
 * its cost bound. Open responses are found in the ledger, so that a restart forgets none.
 */
export function readBackgroundResponsesJob(parts: BackgroundJobParts): Job {
  return openCallsJob(parts, {
    name: READ_BACKGROUND_RESPONSES,
    everyMs: EVERY_MS,
    lookedMs: LOOKED_MS,
    open: parts.background,
    isOf: isResponse,
    ask: (recorded, signal) => readOne(parts, recorded, signal),
  });
}

function isResponse({ operation }: Entry): boolean {
  return operation !== BATCHES;
}

/** Reads one response. */
async function readOne(
  parts: BackgroundJobParts,
  recorded: RecordedEntry,
  signal: AbortSignal,
): Promise<OpenCallOutcome> {
  const { entry } = recorded;
  const provider = parts.providers.get(entry.provider);
  const key = await parts.records.keys.findForGateway(entry.keyId);
  if (!provider || !key || key.providerKey === '') return 'never';
  try {
    const found = await fetchResponse(parts, provider, key, entry, signal);
    if (found === null) return 'never';
    if (found === 'unread' || RUNNING.has(found['status'])) return 'later';
    return (await correctCall(parts, recorded, provider, key, found)) ? 'done' : 'never';
  } catch (error) {
    // A person has just resolved the call.
    if (error instanceof TollbookError) return 'later';
    throw error;
  }
}

/** Returns the response; null = the provider no longer has it. */
async function fetchResponse(
  { clock, log }: BackgroundJobParts,
  provider: Provider,
  key: GatewayKey,
  entry: Entry,
  signal: AbortSignal,
): Promise<JsonObject | 'unread' | null> {
  const path = `${provider.backgroundPath ?? ''}/${encodeURIComponent(entry.responseId ?? '')}`;
  try {
    const answer = await fetchFromProvider({ provider, key, path, msMax: ANSWER_MS_MAX, now: clock(), signal });
    const text = answer.status === 404 ? null : await readAnswerText(answer, ANSWER_BYTES_MAX);
    if (text === null) {
      await answer.body?.cancel();
      return null;
    }
    return answer.ok ? asObject(JSON.parse(text)) : 'unread';
  } catch (error) {
    if (!signal.aborted)
      log.warn({ callId: entry.callId, err: error }, 'a background response could not be read; trying again');
    return 'unread';
  }
}

/** Corrects the call with what its response used. Returns false if that is not known. */
async function correctCall(
  parts: BackgroundJobParts,
  recorded: RecordedEntry,
  provider: Provider,
  key: GatewayKey,
  response: JsonObject,
): Promise<boolean> {
  const { entry } = recorded;
  const { entries, prices, clock } = parts;
  const reader = readStoredResponse(provider, entry, response);
  const usage = withGeo(reader?.usage() ?? null, key.policy, provider);
  if (usage === null) return false;
  const { list, contracted } = callPrices(prices, entry, provider.priceProvider);
  const seen = { ...entry, endedAt: clock(), status: 200, stopped: null, complete: true, errored: false, usage };
  const observed = { ...seen, outputBytes: 0, bodyBytes: 0, model: reader?.model ?? entry.model };
  const settled = settleCall(entry, observed, contracted, list);
  if (settled.cost === null || settled.provenance === null || isUncertain(settled)) return false;
  const tokens = totalTokens(usage);
  await entries.adjust([
    {
      adjustmentId: `${entry.callId}:background`,
      callId: entry.callId,
      workspaceId: entry.workspaceId,
      recordedAt: clock(),
      costBefore: effectiveEntry(recorded).cost,
      costAfter: settled.cost,
      ...(settled.priced && { priced: settled.priced }),
      provenance: settled.provenance,
      reason: REASON,
      resolved: { inputTokens: inputTokens(tokens), outputTokens: outputTokens(tokens), usage },
    },
  ]);
  return true;
}

/** Reads a response as the answer to a request with the same tools; their sizes decide fees. */
function readStoredResponse(provider: Provider, entry: Entry, response: JsonObject): UsageReader | null {
  const route = provider.route('POST', '/responses');
  if (route.kind !== 'inference') return null;
  const encoder = new TextEncoder();
  const request = {
    model: asText(response['model']) ?? entry.requestedModel,
    input: '',
    tools: response['tools'] ?? [],
  };
  const facts = route.readRequest(encoder.encode(JSON.stringify(request)));
  const reader = facts.openReader({ status: 200, contentType: 'application/json', headers: {} });
  reader.push(encoder.encode(JSON.stringify(response)));
  reader.end();
  return reader;
}
