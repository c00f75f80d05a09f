import { ceil, DAY_MS } from '../segments.ts';
import type { KeyDay, Range } from '../store.ts';
import type { Reading, Steps } from './reading.ts';
import { numberAt } from './row.ts';

/** Days between two turns of others. */
const SLICE_DAYS = 7;
/** Money as text: it may pass 2^53. */
const KEY_DAYS = `SELECT start, key, provider, model, CAST(cost AS TEXT), CAST(uncertain_up_to AS TEXT),
    CAST(unpriced_up_to AS TEXT), calls, failed_calls, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens,
    unpriced_calls, uncertain_calls, uncertain_input_tokens, uncertain_output_tokens
  FROM key_model_day WHERE workspace = ? AND start >= ? AND start < ? AND source = ?`;

export function* keyDays({ connection, names }: Reading, workspaceId: string, range: Range): Steps<KeyDay[]> {
  const [workspace, source] = [names.find(workspaceId), names.find('proxy')];
  const [start, end] = [ceil(range.start, DAY_MS), ceil(range.end, DAY_MS)];
  const found: KeyDay[] = [];
  if (workspace === undefined || source === undefined) return found;
  const nameOf = (id: unknown): string | null => names.text(id);
  for (let from = start; from < end; from += SLICE_DAYS * DAY_MS) {
    const to = Math.min(end, from + SLICE_DAYS * DAY_MS);
    for (const row of connection.lists(KEY_DAYS, workspace, from, to, source)) found.push(keyDayOf(row, nameOf));
    if (to < end) yield;
  }
  return found;
}

function keyDayOf(row: readonly unknown[], nameOf: (id: unknown) => string | null): KeyDay {
  const [day, key, provider, model, cost, uncertainUpTo, unpricedUpTo] = row;
  return {
    day: Number(day),
    keyId: nameOf(key) ?? '',
    provider: nameOf(provider) ?? '',
    model: nameOf(model),
    totals: {
      cost: BigInt(String(cost)),
      uncertainUpTo: BigInt(String(uncertainUpTo)),
      unpricedUpTo: BigInt(String(unpricedUpTo)),
      calls: numberAt(row, 7),
      failedCalls: numberAt(row, 8),
      inputTokens: numberAt(row, 9),
      cacheReadTokens: numberAt(row, 10),
      cacheWriteTokens: numberAt(row, 11),
      outputTokens: numberAt(row, 12),
      unpricedCalls: numberAt(row, 13),
      uncertainCalls: numberAt(row, 14),
      uncertainInputTokens: numberAt(row, 15),
      uncertainOutputTokens: numberAt(row, 16),
    },
  };
}
