import { zstdDecompressSync } from 'node:zlib';
import { asCount, asMembers, asText, asTime, type JsonObject } from '../../lib/json/values.ts';
import { readDatabaseFile } from '../reading/database-file.ts';
import { DOCUMENT_BYTES_MAX, parseJsonObject } from '../reading/json-document.ts';
import type { LoggedCall } from '../reading/logged-calls.ts';
import { wholeFileReader } from '../reading/logged-reader.ts';
import { toProviderModel } from '../reading/provider-model.ts';

export const THREADS = wholeFileReader('zed', ({ path }, calls) => {
  readDatabaseFile(path, (db) => {
    // Older versions lack some columns.
    for (const row of db.prepare('SELECT * FROM threads').iterate()) {
      const thread = parseThread(row);
      if (thread === null) calls.unreadable();
      else calls.add(toTotal(row, thread));
    }
  });
});

/** Returns the thread in a row; null = it is damaged or in an unknown format. */
function parseThread({ data, data_type: type }: JsonObject): JsonObject | null {
  if (!(data instanceof Uint8Array) || (type !== 'zstd' && type !== 'json')) return null;
  try {
    const bytes = type === 'json' ? data : zstdDecompressSync(data, { maxOutputLength: DOCUMENT_BYTES_MAX });
    return parseJsonObject(Buffer.from(bytes).toString());
  } catch {
    return null;
  }
}

/** Returns the sum of a thread's requests. Its counts do not overlap, and it has the time of the last change. */
function toTotal(row: JsonObject, thread: JsonObject): LoggedCall {
  const [usage, model] = [asMembers(thread['cumulative_token_usage']), asMembers(thread['model'])];
  const session = asText(row['id']);
  return {
    id: `${session}`,
    session,
    project: asText(asText(row['folder_paths'])?.split('\n')[0]),
    model: toProviderModel(asText(model['provider']) ?? 'unknown', asText(model['model']) ?? 'unknown'),
    at: asTime(row['updated_at']) ?? Number.NaN,
    input: asCount(usage['input_tokens']),
    cacheRead: asCount(usage['cache_read_input_tokens']),
    cacheWrite: asCount(usage['cache_creation_input_tokens']),
    output: asCount(usage['output_tokens']),
    thinking: 0,
    isTotal: true,
  };
}
