import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DAY_MS, floor } from '../segments.ts';
import { wellFormed } from '../well-formed.ts';
import { arbitraryEntry, entryOf, FIRST_DAY, WHOLE } from './arbitrary-entry.ts';
import type { OpenEmpty } from './filled.ts';
import { expectedTotals, firstOfEach } from './expected.ts';

const WORKSPACE = 'ws_default';

export function keyDays(open: OpenEmpty): void {
  test('what keys used of models by day is what the entries of the gate say', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(arbitraryEntry, { maxLength: 40 }), async (entries) => {
        const store = await open();
        await store.entries.append({ journalId: 'journal', mark: 1, entries });
        const own = firstOfEach(entries)
          .map(wellFormed)
          .filter(
            ({ workspaceId, source, outcome }) =>
              workspaceId === WORKSPACE && source === 'proxy' && outcome !== 'not_sent',
          );
        const groups = Map.groupBy(own, ({ beganAt, keyId, provider, model }) =>
          JSON.stringify([floor(beganAt, DAY_MS), keyId, provider, model]),
        );
        const expected = [...groups.values()].flatMap((group) => {
          const [one] = group;
          if (!one) return [];
          const { keyId, provider, model } = one;
          const totals = expectedTotals(group);
          return [{ day: floor(one.beganAt, DAY_MS), keyId, provider, model, totals }];
        });
        const rows = await store.reports.keyDays(WORKSPACE, WHOLE);
        expect(rows).toHaveLength(expected.length);
        expect(rows).toEqual(expect.arrayContaining(expected));
        await store.close();
      }),
      { numRuns: 40 },
    );
  });

  test('days of keys count whole, where their start lies, also when their entries are gone', async () => {
    const store = await open();
    const entries = [0, 5, 23, 24, 50].map((hour) =>
      entryOf(`call_${hour}`, { beganAt: FIRST_DAY + hour * 3_600_000 }),
    );
    await store.entries.append({ journalId: 'journal', mark: 1, entries });
    const days = async (start: number, end: number): Promise<Record<number, number>> => {
      const rows = await store.reports.keyDays(WORKSPACE, { start, end });
      return Object.fromEntries(rows.map(({ day, totals }) => [(day - FIRST_DAY) / DAY_MS, totals.calls]));
    };
    const all = { 0: 3, 1: 1, 2: 1 };
    expect(await days(FIRST_DAY, FIRST_DAY + 3 * DAY_MS)).toEqual(all);
    expect(await days(FIRST_DAY + 1, FIRST_DAY + DAY_MS + 1)).toEqual({ 1: 1 });
    expect(await days(FIRST_DAY + 1, FIRST_DAY + DAY_MS)).toEqual({});
    await store.entries.prune(WORKSPACE, FIRST_DAY + 2 * DAY_MS, 100);
    expect(await days(FIRST_DAY - 30 * DAY_MS, FIRST_DAY + 3 * DAY_MS)).toEqual(all);
    await store.close();
  });
}
