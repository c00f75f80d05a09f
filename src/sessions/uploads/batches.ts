import { RECORDS_MAX, type SessionRecord } from '../../domain/sessions/session-record.ts';

/** Below what a service takes, with room for what is around the records. */
const BATCH_BYTES_MAX = 900_000;

/** Records of one session and model: together they replace what is stored, so they go in one request. */
export function groupRecords(records: readonly SessionRecord[]): SessionRecord[][] {
  return [...Map.groupBy(records, ({ sessionId, model }) => `${sessionId} ${model}`).values()];
}

export function fitsRequest(records: readonly SessionRecord[]): boolean {
  return records.length <= RECORDS_MAX && recordsBytes(records) <= BATCH_BYTES_MAX;
}

/** Whole groups, as many to a request as fit. */
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
  // Ids, names and numbers: every character is one byte.
  return JSON.stringify(records).length;
}
