import { emptySum, addTotals, addUnder, type MutableTotals } from '../../domain/usage/usage-totals.ts';
import type { EntryReader } from './entry-reader.ts';
import type { SqlSteps } from './steps.ts';
import { sumRange } from './sum-range.ts';
import type { Period } from '../../domain/time/period.ts';
import type { ModelUse, UsageBreakdown } from '../usage-queries.ts';

/** Sums a range by provider and model. Calls without a model count in the total only. */
export function* readSummary(reader: EntryReader, workspaceId: string, range: Period): SqlSteps<UsageBreakdown> {
  const total = emptySum();
  const byProvider = new Map<string, MutableTotals>();
  const byModel = new Map<string, MutableTotals>();
  const query = { by: ['provider', 'model'], tagKey: null, filter: {} } as const;
  yield* sumRange(reader, workspaceId, query, range, ({ values, totals }) => {
    const [provider, model] = values;
    addTotals(total, totals);
    if (provider) addUnder(byProvider, provider, totals);
    if (typeof model === 'string') addUnder(byModel, model, totals);
  });
  return { total, byProvider, byModel };
}

const QUESTION = { by: ['provider', 'model'], tagKey: null, filter: {} } as const;

export function* readModels(reader: EntryReader, workspaceId: string, range: Period): SqlSteps<ModelUse[]> {
  const found = new Map<string, { provider: string; model: string | null; totals: MutableTotals }>();
  yield* sumRange(reader, workspaceId, QUESTION, range, ({ values, totals }) => {
    const [provider = null, model = null] = values;
    const name = JSON.stringify([provider, model]);
    const row = found.get(name) ?? { provider: provider ?? '', model, totals: emptySum() };
    addTotals(row.totals, totals);
    found.set(name, row);
  });
  return [...found.values()];
}
