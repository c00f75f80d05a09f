import type { ModelUse, Range } from '../store.ts';
import { addTotals, emptySum } from '../totals.ts';
import type { Sum } from '../totals.ts';
import type { EntryReading, Steps } from './reading.ts';
import { sumRange } from './sum-range.ts';

const QUESTION = { by: ['provider', 'model'], tagKey: null, filter: {} } as const;

export function* models(reading: EntryReading, workspaceId: string, range: Range): Steps<ModelUse[]> {
  const found = new Map<string, { provider: string; model: string | null; totals: Sum }>();
  yield* sumRange(reading, workspaceId, QUESTION, range, ({ values, totals }) => {
    const [provider = null, model = null] = values;
    const name = JSON.stringify([provider, model]);
    const row = found.get(name) ?? { provider: provider ?? '', model, totals: emptySum() };
    addTotals(row.totals, totals);
    found.set(name, row);
  });
  return [...found.values()];
}
