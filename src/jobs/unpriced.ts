import { reprice, type RepriceParts } from './reprice.ts';
import type { Job } from './schedule.ts';
import { DAY_MS } from '../domain/time/units.ts';

/** Prices the calls that had no price, as soon as there is one. */
export function unpricedJob(parts: RepriceParts): Job {
  const what = { from: 0, filter: { unpriced: true }, concerns: () => true, mayCorrect: false };
  return {
    name: 'unpriced',
    everyMs: DAY_MS,
    async run(signal) {
      for (const { id } of await parts.records.workspaces.list())
        await reprice(parts, { workspaceId: id, ...what }, signal);
    },
  };
}
