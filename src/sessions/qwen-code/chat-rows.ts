import { asCount, asMembers, asObject, asText, asTime, type JsonObject } from '../../lib/json/values.ts';
import type { CallCollector } from '../reading/call-collector.ts';
import type { LoggedCall, LoggedFacts } from '../reading/logged-calls.ts';
import { rowFileReader } from '../reading/logged-reader.ts';
import { toMakersModel } from '../reading/provider-model.ts';
import type { ParsedFile, SourceReader } from '../reading/source.ts';

const READER = rowFileReader('qwen_code', ['"usageMetadata"', '.api_response"'], readChatRow);
/** Start of the id of a call that is known from an answer in the chat, and not from a response's own row. */
const ANSWER = 'answer ';

export const CHAT_ROWS: SourceReader<LoggedFacts> = {
  ...READER,
  resolve: (files) => READER.resolve(files.map(withoutAnswers)),
};

/** Drops the answers of a file that has a row for each response: an answer may join several responses. */
function withoutAnswers(parsed: ParsedFile<LoggedFacts>): ParsedFile<LoggedFacts> {
  const responses = parsed.facts.calls.filter(({ id }) => !id.startsWith(ANSWER));
  return responses.length === 0 ? parsed : { ...parsed, facts: { ...parsed.facts, calls: responses } };
}

function readChatRow(row: JsonObject, calls: CallCollector): void {
  const origin = asText(asMembers(row['forkedFrom'])['sessionId']);
  const [uuid, time] = [asText(row['uuid']) ?? '', asTime(row['timestamp'])];
  // A fork copies rows with their times, so it starts with its first own row.
  if (origin === null) calls.begin({ startedAt: time });
  const common = { session: origin ?? asText(row['sessionId']), project: asText(row['cwd']), at: time ?? Number.NaN };
  const event = asMembers(asMembers(row['systemPayload'])['uiEvent']);
  const answer = asObject(row['usageMetadata']);
  if (row['type'] === 'system' && asText(event['event.name'])?.endsWith('.api_response'))
    calls.add({ ...common, id: asText(event['response_id']) ?? uuid, ...readResponse(event) });
  else if (row['type'] === 'assistant' && answer !== null)
    calls.add({ ...common, id: ANSWER + uuid, ...readAnswer(asText(row['model']), answer) });
}

type LoggedTokens = Omit<LoggedCall, 'id' | 'session' | 'project' | 'at'>;

function readResponse(event: JsonObject): LoggedTokens {
  return toTokens(asText(event['model']), {
    input: asCount(event['input_token_count']),
    cached: asCount(event['cached_content_token_count']),
    output: asCount(event['output_token_count']),
    thoughts: asCount(event['thoughts_token_count']),
    total: asCount(event['total_token_count']),
  });
}

function readAnswer(model: string | null, usage: JsonObject): LoggedTokens {
  return toTokens(model, {
    input: asCount(usage['promptTokenCount']),
    cached: asCount(usage['cachedContentTokenCount']),
    output: asCount(usage['candidatesTokenCount']),
    thoughts: asCount(usage['thoughtsTokenCount']),
    total: asCount(usage['totalTokenCount']),
  });
}

interface QwenCounts {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  readonly thoughts: number;
  readonly total: number;
}

/** Google counts thoughts apart from the output, and others within it, which the total shows. */
function toTokens(model: string | null, { input, cached, output, thoughts, total }: QwenCounts): LoggedTokens {
  const thinking = total >= input + output + thoughts ? thoughts : 0;
  return {
    model: toMakersModel(model ?? 'unknown'),
    input: input - cached,
    cacheRead: cached,
    cacheWrite: 0,
    output: output + thinking,
    thinking,
  };
}
