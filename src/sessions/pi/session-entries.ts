import { asCount, asMembers, asObject, asText, asTime, type JsonObject } from '../../lib/json/values.ts';
import type { CallCollector } from '../reading/call-collector.ts';
import { rowFileReader } from '../reading/logged-reader.ts';
import { toProviderModel } from '../reading/provider-model.ts';

/** Answers, and the first row of a file. */
export const SESSION_ENTRIES = rowFileReader('pi', ['"usage"', '"session"'], readSessionEntry);

function readSessionEntry(entry: JsonObject, calls: CallCollector): void {
  const startedAt = asTime(entry['timestamp']);
  if (entry['type'] === 'session')
    calls.begin({ session: asText(entry['id']), project: asText(entry['cwd']), startedAt });
  const message = asMembers(entry['message']);
  const usage = asObject(message['usage']);
  if (entry['type'] === 'message' && message['role'] === 'assistant' && usage !== null)
    addAnswer(entry, message, usage, calls);
}

/** Adds an answer. Its counts do not overlap. Entries of a fork have the ids and times of the original ones. */
function addAnswer(entry: JsonObject, message: JsonObject, usage: JsonObject, calls: CallCollector): void {
  const at = asCount(message['timestamp'] ?? asTime(entry['timestamp']) ?? Number.NaN);
  calls.add({
    id: asText(message['responseId']) ?? `${asText(entry['id'])} ${at}`,
    session: null,
    project: null,
    model: toProviderModel(asText(message['provider']) ?? 'unknown', asText(message['model']) ?? 'unknown'),
    at,
    input: asCount(usage['input']),
    cacheRead: asCount(usage['cacheRead']),
    cacheWrite: asCount(usage['cacheWrite']),
    output: asCount(usage['output']),
    thinking: 0,
  });
}
