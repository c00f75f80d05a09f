import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../../../test/support/property-runs.ts';
import {
  arbitraryEntry,
  arbitraryRange,
  entryOf,
  FIRST_DAY,
  HOSTILE,
  WHOLE,
} from '../../../test/support/arbitrary-entry.ts';
import { expectedTotals, firstOfEach } from '../../../test/support/expected-totals.ts';
import { filled, isIn, type OpenEmpty, WORKSPACE } from '../../../test/support/filled-store.ts';
import { DAY_MS, HOUR_MS } from '../../domain/time/units.ts';
import { type SeriesQuery } from '../usage-queries.ts';
import { DIMENSIONS } from '../../domain/usage/call.ts';

/** Sums apart by bucket, dimension and tag. */
export function splitting(open: OpenEmpty): void {
  test('every partition of a range, by dimension and by bucket, sums to the same total', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(arbitraryEntry, { maxLength: 40 }), arbitraryRange, async (entries, range) => {
        const store = await filled(open, entries);
        const found = firstOfEach(entries).filter((entry) => entry.workspaceId === WORKSPACE && isIn(range, entry));
        const middle = Math.floor((range.start + range.end) / 2);
        for (const by of [null, ...DIMENSIONS]) {
          const query: SeriesQuery = { range, buckets: [range.start, middle], by, tagKey: 'team', filter: {} };
          const rows = await store.reports.series(WORKSPACE, query);
          const sums = rows.map(({ totals }) => totals);
          expect(sums.reduce((sum, { cost }) => sum + cost, 0n)).toBe(expectedTotals(found).cost);
          expect(sums.reduce((sum, { calls }) => sum + calls, 0)).toBe(expectedTotals(found).calls);
        }
        await store.close();
      }),
      propertyRuns(60),
    );
  });

  test('buckets of a half-hour time zone share the calls of a UTC hour', async () => {
    const half = HOUR_MS / 2;
    const store = await filled(open, [
      entryOf('a', { startedAt: FIRST_DAY + half - 1 }),
      entryOf('b', { startedAt: FIRST_DAY + half }),
      entryOf('c', { startedAt: FIRST_DAY + half + 2 * DAY_MS - 1 }),
      entryOf('d', { startedAt: FIRST_DAY + half + 2 * DAY_MS }),
    ]);
    const range = { start: FIRST_DAY + half, end: FIRST_DAY + half + 3 * DAY_MS };
    const buckets = [range.start, range.start + 2 * DAY_MS];
    const rows = await store.reports.series(WORKSPACE, { range, buckets, by: 'model', filter: {} });
    expect(rows.map(({ bucket, totals }) => [bucket, totals.calls])).toEqual([
      [buckets[0], 2],
      [buckets[1], 1],
    ]);
  });

  test('a series of more hours than one question asks about has the calls of each hour, tagged or not', async () => {
    const hours = Array.from({ length: 250 }, (_, hour) => FIRST_DAY + hour * HOUR_MS);
    const entries = hours.map((hour, index) =>
      entryOf(`call_${index}`, { startedAt: hour + index, tags: index % 2 === 0 ? { team: 'a' } : {}, cost: index }),
    );
    const store = await filled(open, entries);
    const range = { start: FIRST_DAY, end: FIRST_DAY + hours.length * HOUR_MS };
    const query = { range, buckets: hours, filter: {} };
    const whole = await store.reports.series(WORKSPACE, { ...query, by: null });
    expect(whole.map(({ bucket, totals }) => [bucket, totals.cost])).toEqual(
      hours.map((hour, index) => [hour, BigInt(index)]),
    );
    const byTeam = await store.reports.series(WORKSPACE, { ...query, by: 'tag', tagKey: 'team' });
    expect(byTeam.map(({ bucket, value, totals }) => [bucket, value, totals.cost])).toEqual(
      hours.map((hour, index) => [hour, index % 2 === 0 ? 'a' : null, BigInt(index)]),
    );
  });

  test('the keys of tags are those of calls in the workspace', async () => {
    const store = await filled(open, [
      entryOf('a', { tags: { team: 'a', env: 'prod' } }),
      entryOf('b', { tags: { env: 'test' } }),
      entryOf('c', { tags: { other: 'x' }, workspaceId: 'ws_other' }),
    ]);
    expect((await store.reports.tagKeys(WORKSPACE)).toSorted()).toEqual(['env', 'team']);
    expect(await store.reports.tagKeys('ws_none')).toEqual([]);
  });

  test('untagged usage is under null in every query', async () => {
    const store = await filled(open, [
      entryOf('a', { tags: { team: 'a', env: 'prod' } }),
      entryOf('b', { tags: { env: 'prod' } }),
      entryOf('c', { tags: {} }),
    ]);
    const calls = async (filter: SeriesQuery['filter']): Promise<[string | null, number][]> => {
      const query: SeriesQuery = { range: WHOLE, buckets: [WHOLE.start], by: 'tag', tagKey: 'team', filter };
      const rows = await store.reports.series(WORKSPACE, query);
      return rows.map(({ value, totals }) => [value, totals.calls]);
    };
    expect(new Map(await calls({}))).toEqual(
      new Map([
        ['a', 1],
        [null, 2],
      ]),
    );
    expect(new Map(await calls({ keyId: 'key_1' }))).toEqual(
      new Map([
        ['a', 1],
        [null, 2],
      ]),
    );
    expect(new Map(await calls({ tag: { key: 'env', value: 'prod' } }))).toEqual(
      new Map([
        ['a', 1],
        [null, 1],
      ]),
    );
    expect(new Map(await calls({ tag: { key: 'team', value: 'a' } }))).toEqual(new Map([['a', 1]]));
  });

  test('hostile text is a value like any other', async () => {
    const entries = HOSTILE.map((text, index) =>
      entryOf(`call_${index}`, { model: text, keyId: text, tags: { [text]: text, plain: text }, cost: index }),
    );
    const store = await filled(open, entries);
    const summary = await store.reports.summary(WORKSPACE, WHOLE);
    for (const [index, text] of HOSTILE.map((one) => one.toWellFormed()).entries()) {
      expect(summary.byModel.get(text)?.cost).toBe(BigInt(index));
      const row = { value: text, calls: 1, cost: BigInt(index) };
      expect(await store.reports.byTag(WORKSPACE, text, WHOLE)).toMatchObject([row]);
      const range = { start: FIRST_DAY, end: FIRST_DAY + 1 };
      expect(await store.reports.byTag(WORKSPACE, text, range)).toMatchObject([row]);
      const filter = { tag: { key: 'plain', value: text }, model: text };
      const page = await store.reports.entriesPage(WORKSPACE, { range: WHOLE, filter, cursor: null, limit: 5 });
      expect(page.rows.map(({ entry }) => entry.callId)).toEqual([`call_${index}`]);
    }
  });
}
