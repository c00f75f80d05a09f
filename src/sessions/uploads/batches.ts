import { RECORDS_MAX, type SessionRecord } from '../../domain/sessions/session-record.ts';

/** Below the limit of the service, with room for the text around the records. */
const BATCH_BYTES_MAX = 900_000;

/** Groups records by session and model. A group replaces the stored records, so it is sent in one request. */
export function groupRecords(records: readonly SessionRecord[]): SessionRecord[][] {
  return [...Map.groupBy(records, ({ sessionId, model }) => `${sessionId} ${model}`).values()];
}

export function fitsRequest(records: readonly SessionRecord[]): boolean {
  return records.length <= RECORDS_MAX && recordsBytes(records) <= BATCH_BYTES_MAX;
}

/** Splits records into requests of whole groups, as many as fit. */
export function splitIntoBatches(records: readonly SessionRecord[]): SessionRecord[][] {
  const batches: SessionRecord[][] = [];
  let bytes = 0;
  for (const group of groupRecords(records)) {
    const batch = batches.at(-1);
    const size = recordsBytes(group);
    if (batch && batch.length + group.length <= RECORDS_MAX && bytes + size <= BATCH_BYTES_MAX) {
      batch.push(...group);
      bytes += size;
    } else {
      batches.push([...group]);
      bytes = size;
    }
  }
  return batches;
}

function recordsBytes(records: readonly SessionRecord[]): number {
  // Every character is one byte, because records contain only ids, names and numbers.
  return JSON.stringify(records).length;
}
