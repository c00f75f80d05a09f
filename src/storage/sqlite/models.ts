import type { ModelUse, TimeRange } from '../store.ts';
import { addTotals, emptySum } from '../totals.ts';
import type { MutableTotals } from '../totals.ts';
import type { EntryReader, QuerySteps } from './reading.ts';
import { sumRange } from './sum-range.ts';

const QUESTION = { by: ['provider', 'model'], tagKey: null, filter: {} } as const;

export function* readModels(reading: EntryReader, workspaceId: string, range: TimeRange): QuerySteps<ModelUse[]> {
  const found = new Map<string, { provider: string; model: string | null; totals: MutableTotals }>();
  yield* sumRange(reading, workspaceId, QUESTION, range, ({ values, totals }) => {
    const [provider = null, model = null] = values;
    const name = JSON.stringify([provider, model]);
    const row = found.get(name) ?? { provider: provider ?? '', model, totals: emptySum() };
    addTotals(row.totals, totals);
    found.set(name, row);
  });
  return [...found.values()];
}
