import { addUnder, type MutableTotals } from '../../domain/usage/usage-totals.ts';
import { text } from './result-row.ts';
import type { EntryReader } from './entry-reader.ts';
import type { SqlContext } from './entry-table.ts';
import { ask, type SqlSteps } from './steps.ts';
import { sumRange } from './sum-range.ts';
import type { Period } from '../../domain/time/period.ts';
import type { TagRow } from '../usage-queries.ts';

/** Steps from key to key through the index, because a plain DISTINCT would read the roll-up of all days. */
const READ = `WITH RECURSIVE step(tag_key) AS (
    SELECT min(tag_key) FROM tag_day WHERE workspace = :workspace
    UNION ALL
    SELECT (SELECT min(t.tag_key) FROM tag_day t WHERE t.workspace = :workspace AND t.tag_key > step.tag_key)
    FROM step WHERE tag_key IS NOT NULL
  ) SELECT n.text AS tag_key FROM step JOIN names n ON n.id = step.tag_key`;

export function* listTagKeys({ names }: SqlContext, workspaceId: string): SqlSteps<string[]> {
  const workspace = yield* names.find(workspaceId);
  if (workspace === undefined) return [];
  const rows = yield ask(READ, { workspace });
  return rows.map((row) => text(row, 'tag_key'));
}

export function* sumByTag(reader: EntryReader, workspaceId: string, tagKey: string, range: Period): SqlSteps<TagRow[]> {
  const sums = new Map<string, MutableTotals>();
  const query = { by: ['tag_value'], tagKey, filter: {} } as const;
  yield* sumRange(reader, workspaceId, query, range, ({ values, totals }) => {
    const [value] = values;
    if (typeof value === 'string') addUnder(sums, value, totals);
  });
  return [...sums].map(([value, totals]) => ({
    value,
    calls: totals.calls,
    cost: totals.cost,
    listBeyondCost: totals.listBeyondCost,
    contractedBeyondCost: totals.contractedBeyondCost,
    unpricedCalls: totals.unpricedCalls,
    uncertainCalls: totals.uncertainCalls,
    uncertainUpTo: totals.uncertainUpTo,
  }));
}
