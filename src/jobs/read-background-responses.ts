import { BATCHES, type Entry, isUncertain } from '../domain/usage/call.ts';
import { settleCall } from '../domain/usage/settle.ts';
import { inputTokens, outputTokens, totalTokens } from '../domain/usage/usage.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../domain/time/units.ts';
import { asObject, asText, type JsonObject } from '../lib/json/values.ts';
import { withGeo } from '../providers/provider-host.ts';
import type { Provider, UsageReader } from '../providers/provider.ts';
import { ProviderQuestionError, readAnswerText } from './fetch-from-provider.ts';
import {
  correctOpenCall,
  fetchForCall,
  type OpenCall,
  type OpenCallOutcome,
  type OpenCallParts,
  type OpenCalls,
  openCallsJob,
} from './open-calls.ts';
import type { Job } from './schedule.ts';

export const READ_BACKGROUND_RESPONSES = 'read_background_responses';
/** A provider keeps a response for about ten minutes after its end, unless it is to be stored. */
const EVERY_MS = 30 * SECOND_MS;
/** Pause after a failed question: a response is soon gone. */
const PAUSE_MS_MAX = MINUTE_MS;
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
    pauseMsMax: PAUSE_MS_MAX,
    failedAsksMax: LOOKED_MS / PAUSE_MS_MAX,
    isOf: isResponse,
    ask: (call, signal) => readOne(parts, call, signal),
  });
}

function isResponse({ operation }: Entry): boolean {
  return operation !== BATCHES;
}

/** Reads one response. */
async function readOne(parts: BackgroundJobParts, call: OpenCall, signal: AbortSignal): Promise<OpenCallOutcome> {
  const found = await fetchResponse(parts, call, signal);
  if (found === null) return { problem: `${call.provider.name} no longer has the response.`, isFinal: true };
  if (RUNNING.has(found['status'])) return 'later';
  return await correctResponse(parts, call, found);
}

/** Returns the response; null = the provider no longer has it, or it is too large. */
async function fetchResponse(
  parts: BackgroundJobParts,
  call: OpenCall,
  signal: AbortSignal,
): Promise<JsonObject | null> {
  const path = `${call.provider.backgroundPath ?? ''}/${encodeURIComponent(call.recorded.entry.responseId ?? '')}`;
  try {
    const answer = await fetchForCall(parts, call, { path, msMax: ANSWER_MS_MAX, signal });
    const text = await readAnswerText(answer, ANSWER_BYTES_MAX);
    return text === null ? null : asObject(JSON.parse(text));
  } catch (error) {
    if (error instanceof ProviderQuestionError && error.status === 404) return null;
    throw error;
  }
}

/** Corrects the call with what its response used. */
async function correctResponse(
  parts: BackgroundJobParts,
  call: OpenCall,
  response: JsonObject,
): Promise<OpenCallOutcome> {
  const { provider, key, prices } = call;
  const { entry } = call.recorded;
  const reader = readStoredResponse(provider, entry, response);
  const usage = withGeo(reader?.usage() ?? null, key.policy, provider);
  if (usage === null) return { problem: 'The response does not say what it used.', isFinal: true };
  const seen = { ...entry, endedAt: parts.clock(), status: 200, stopped: null, complete: true, errored: false, usage };
  const observed = { ...seen, outputBytes: 0, bodyBytes: 0, model: reader?.model ?? entry.model };
  const settled = settleCall(entry, observed, prices.contracted, prices.list);
  if (settled.cost === null || settled.provenance === null || isUncertain(settled))
    return { problem: 'What the response used has no exact price.' };
  const tokens = totalTokens(usage);
  return await correctOpenCall(parts, call, {
    adjustmentId: `${entry.callId}:background`,
    costAfter: settled.cost,
    ...(settled.priced && { priced: settled.priced }),
    provenance: settled.provenance,
    reason: REASON,
    resolved: { inputTokens: inputTokens(tokens), outputTokens: outputTokens(tokens), usage },
  });
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
