import type { Range, Summary } from '../store.ts';
import { addTotals, addUnder, emptySum } from '../totals.ts';
import type { Sum } from '../totals.ts';
import type { EntryReading, Steps } from './reading.ts';
import { sumRange } from './sum-range.ts';

/** Calls without a model are in the total and under no model. */
export function* summary(reading: EntryReading, workspaceId: string, range: Range): Steps<Summary> {
  const total = emptySum();
  const byProvider = new Map<string, Sum>();
  const byModel = new Map<string, Sum>();
  const question = { by: ['provider', 'model'], tagKey: null, filter: {} } as const;
  yield* sumRange(reading, workspaceId, question, range, ({ values, totals }) => {
    const [provider, model] = values;
    addTotals(total, totals);
    if (provider) addUnder(byProvider, provider, totals);
    if (typeof model === 'string') addUnder(byModel, model, totals);
  });
  return { total, byProvider, byModel };
}
