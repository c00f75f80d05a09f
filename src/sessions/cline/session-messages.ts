import { asCount, asMembers, asObject, asText, type JsonObject } from '../../lib/json/values.ts';
import type { CallCollector } from '../reading/call-collector.ts';
import { readJsonDocument, readRelatedDocument } from '../reading/json-document.ts';
import type { LoggedCall } from '../reading/logged-calls.ts';
import { wholeFileReader } from '../reading/logged-reader.ts';
import { toMakersModel, toProviderModel } from '../reading/provider-model.ts';

/** Provider name for an address of one's own, which does not say who serves the model. */
const ANY_PROVIDER = 'openai-compatible';

export const SESSION_MESSAGES = wholeFileReader('cline', (file, calls) => {
  const document = asObject(readJsonDocument(file));
  if (document === null) return calls.unreadable();
  const session = readRelatedDocument(file, file.path.replace(/\.messages\.json$/, '.json'));
  calls.begin({ project: asText(session['cwd']) });
  const messages = Array.isArray(document['messages']) ? document['messages'] : [];
  for (const message of messages) addMessage(asMembers(message), session, calls);
});

/** Adds an answer, or the sum of the answers that a compaction removed. */
function addMessage(message: JsonObject, session: JsonObject, calls: CallCollector): void {
  const [metrics, metadata] = [asObject(message['metrics']), asMembers(message['metadata'])];
  const removed = metadata['kind'] === 'compaction' ? asObject(metadata['usageBefore']) : null;
  if (metrics !== null) calls.add(toAnswer(message, asMembers(message['modelInfo']), metrics));
  if (removed === null) return;
  const sum = toAnswer(message, { id: session['model'], provider: session['provider'] }, removed);
  calls.add({ ...sum, id: `${sum.id} removed`, isTotal: true });
}

/** Input includes both parts of the cache. */
function toAnswer(message: JsonObject, { id, provider }: JsonObject, counts: JsonObject): LoggedCall {
  const at = asCount(message['ts'] ?? Number.NaN);
  const [cacheRead, cacheWrite] = [asCount(counts['cacheReadTokens']), asCount(counts['cacheWriteTokens'])];
  const [model, by] = [asText(id) ?? 'unknown', asText(provider) ?? ANY_PROVIDER];
  return {
    id: `${asText(message['id'])} ${at}`,
    session: null,
    project: null,
    model: by === ANY_PROVIDER ? toMakersModel(model) : toProviderModel(by, model),
    at,
    input: asCount(counts['inputTokens']) - cacheRead - cacheWrite,
    cacheRead,
    cacheWrite,
    output: asCount(counts['outputTokens']),
    thinking: 0,
  };
}
