import { asCount, asMembers, asObject, asText, asTime, type JsonObject } from '../../lib/json/values.ts';
import type { CallCollector } from '../reading/call-collector.ts';
import { readJsonDocument } from '../reading/json-document.ts';
import { wholeFileReader } from '../reading/logged-reader.ts';
import { toMakersModel } from '../reading/provider-model.ts';

export const THREAD_MESSAGES = wholeFileReader('amp', (file, calls) => {
  const thread = asObject(readJsonDocument(file));
  if (thread === null) return calls.unreadable();
  const messages = Array.isArray(thread['messages']) ? thread['messages'].map(asMembers) : [];
  const used = messages.flatMap((message, index) => {
    const usage = asObject(message['usage']);
    const id = message['messageId'];
    return usage === null ? [] : [{ usage, id: `${file.sessionId} ${typeof id === 'number' ? id : index}` }];
  });
  for (const { usage, id } of used) addThreadCall(calls, usage, id);
  // Threads of older versions have a list of their own, which does not tell the cache from the rest of the input.
  const ledger = asMembers(thread['usageLedger'])['events'];
  if (used.length === 0 && Array.isArray(ledger) && ledger.length > 0) calls.unreadable();
});

function addThreadCall(calls: CallCollector, usage: JsonObject, id: string): void {
  const counts = {
    input: asCount(usage['inputTokens']),
    cacheRead: asCount(usage['cacheReadInputTokens']),
    cacheWrite: asCount(usage['cacheCreationInputTokens']),
    output: asCount(usage['outputTokens']),
  };
  if (Object.values(counts).every((count) => count === 0)) return;
  const [model, at] = [asText(usage['model']), asTime(usage['timestamp'])];
  if (model === null || at === null) return calls.unreadable();
  calls.add({ id, session: null, project: null, model: toMakersModel(model), at, ...counts, thinking: 0 });
}
