import { asCount, asMembers, asText, asTime, type JsonObject } from '../../lib/json/values.ts';
import type { CallCollector } from '../reading/call-collector.ts';
import { readDatabaseFile } from '../reading/database-file.ts';
import type { LoggedCall, LoggedFacts } from '../reading/logged-calls.ts';
import { rowFileReader, wholeFileReader } from '../reading/logged-reader.ts';
import { toMakersModel } from '../reading/provider-model.ts';
import type { SourceReader } from '../reading/source.ts';

const DATABASE = wholeFileReader('copilot_cli', ({ path }, calls) => {
  readDatabaseFile(path, (db) => {
    for (const row of db.prepare(USAGE).iterate()) calls.add(toRequest(row));
  });
});
const EVENTS = rowFileReader('copilot_cli', ['"session.usage_record"', '"session.start"'], readEvent);

export const REQUESTS: SourceReader<LoggedFacts> = {
  ...EVENTS,
  readWhole: (file) => (file.path.endsWith('.db') ? DATABASE.readWhole(file) : undefined),
};

/** Requests of a database, with the names that events have. */
const USAGE = `SELECT session_id AS session, cwd AS project, usage.created_at AS time, model, input_tokens AS inputTokens,
  cache_read_tokens AS cacheReadTokens, cache_write_tokens AS cacheWriteTokens, output_tokens AS outputTokens,
  reasoning_tokens AS reasoningTokens
  FROM assistant_usage_events AS usage LEFT JOIN sessions ON sessions.id = session_id`;

function readEvent(event: JsonObject, calls: CallCollector): void {
  const [data, time] = [asMembers(event['data']), event['timestamp']];
  if (event['type'] === 'session.start')
    calls.begin({ project: asText(asMembers(data['context'])['cwd']), startedAt: asTime(time) });
  if (event['type'] !== 'session.usage_record') return;
  const usage = asMembers(data['usage']);
  calls.add(toRequest({ ...usage, session: asMembers(usage['accounting'])['sourceSessionId'], time }));
}

/** A request has the same time, model and counts in both stores. Its input includes both parts of the cache. */
function toRequest(row: JsonObject): LoggedCall {
  const [session, at] = [asText(row['session']), toEpoch(asText(row['time']))];
  const model = toMakersModel(asText(row['model']) ?? 'unknown');
  const [cacheRead, cacheWrite] = [asCount(row['cacheReadTokens']), asCount(row['cacheWriteTokens'])];
  const counts = {
    input: asCount(row['inputTokens']) - cacheRead - cacheWrite,
    cacheRead,
    cacheWrite,
    output: asCount(row['outputTokens']),
    thinking: asCount(row['reasoningTokens']),
  };
  const id = [session, at, model, ...Object.values(counts)].join(' ');
  return { id, session, project: asText(row['project']), model, at, ...counts };
}

/** SQLite's own times have no time zone: they are UTC. */
function toEpoch(time: string | null): number {
  return asTime(time?.replace(/^(\S+) ([\d:.]+)$/, '$1T$2Z')) ?? Number.NaN;
}
