import { hash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { asCount, asText, type JsonObject } from '../../lib/json/values.ts';
import { readDatabaseFile } from '../reading/database-file.ts';
import type { LoggedCall } from '../reading/logged-calls.ts';
import { wholeFileReader } from '../reading/logged-reader.ts';
import { toProviderModel } from '../reading/provider-model.ts';

/** Goose lets these programs make its requests. They log them too. */
const OTHER_PROGRAM = /-acp$|^(claude-code|codex|gemini-cli|cursor-agent)$/;
const SECOND_MS = 1_000;
const NAME_CHARS = 12;

const HAS_LEDGER = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'usage_ledger'";
/** Requests in their order, with the first one of their session. */
const REQUESTS = `SELECT usage_ledger.*, sessions.working_dir, sessions.provider_name, sessions.created_at,
    min(usage_ledger.id) OVER (PARTITION BY session_id) AS first
  FROM usage_ledger JOIN sessions ON sessions.id = session_id ORDER BY usage_ledger.id`;

export const USAGE_LEDGER = wholeFileReader('goose', ({ path }, calls) => {
  readDatabaseFile(path, (db) => {
    for (const call of listRequests(db)) calls.add(call);
  });
});

/** Returns the requests; none if an older version, which logged none, wrote the database. */
function listRequests(db: DatabaseSync): LoggedCall[] {
  if (db.prepare(HAS_LEDGER).get() === undefined) return [];
  const sessions = new Map<unknown, string>();
  return db
    .prepare(REQUESTS)
    .all()
    .filter((row) => !OTHER_PROGRAM.test(asText(row['provider_name']) ?? ''))
    .map((row) => {
      const session = sessions.get(row['session_id']) ?? nameSession(row);
      sessions.set(row['session_id'], session);
      return toRequestCall(row, session);
    });
}

/**
 * Returns a name that no session of another machine has: Goose only numbers the sessions of a day. The first request of a
 * session never changes.
 */
function nameSession(row: JsonObject): string {
  const parts = ['created_at', 'working_dir', 'first', 'created_timestamp', 'input_tokens', 'output_tokens'];
  const text = parts.map((name) => String(row[name])).join(' ');
  return `${asText(row['session_id'])}-${hash('sha256', text).slice(0, NAME_CHARS)}`;
}

/** Input includes both parts of the cache. */
function toRequestCall(row: JsonObject, session: string): LoggedCall {
  const [cacheRead, cacheWrite] = [asCount(row['cache_read_tokens']), asCount(row['cache_write_tokens'])];
  return {
    id: `${session} ${String(row['id'])}`,
    session,
    project: asText(row['working_dir']),
    model: toProviderModel(asText(row['provider_name']) ?? 'unknown', asText(row['model']) ?? 'unknown'),
    at: asCount(row['created_timestamp'] ?? Number.NaN) * SECOND_MS,
    input: asCount(row['input_tokens']) - cacheRead - cacheWrite,
    cacheRead,
    cacheWrite,
    output: asCount(row['output_tokens']),
    thinking: 0,
  };
}
