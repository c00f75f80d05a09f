import { observedTotals } from '../../domain/observed/observed-call.ts';
import { DAY_MS, HOUR_MS } from '../../domain/time/units.ts';
import { addTotals, emptySum, isEmptySum, type MutableTotals } from '../../domain/usage/usage-totals.ts';
import { floor } from '../range-segments.ts';
import { OBSERVED_MEASURES } from '../totals.ts';
import type { IdOf } from './name-table.ts';
import type { ObservedRow } from './observed-rows.ts';
import { number, text } from './result-row.ts';
import { OTHER } from './rollup-caps.ts';
import { addColumns, askEach, insertRows, type RowInsert, type SqlSteps } from './steps.ts';
import { listMeasures } from './totals-row.ts';

/** Different tags of observed calls, each a key with a value, per workspace and UTC day. */
const TAGS_PER_DAY_MAX = 10_000;

const MEASURES = Object.values(OBSERVED_MEASURES);
const KEY = ['workspace', 'tag_key', 'tag_value', 'start', 'provider', 'model'];
const GRAINS = [
  { ms: HOUR_MS, add: upsertTagged('observed_tag_hour') },
  { ms: DAY_MS, add: upsertTagged('observed_tag_day') },
] as const;
const KNOWN = `SELECT workspace, start, tag_key, tag_value FROM observed_tag_day
  WHERE workspace = ? AND start = ? AND tag_key = ? AND tag_value = ? LIMIT 1`;
const COUNT = `SELECT workspace, start, count(*) AS n FROM (
  SELECT DISTINCT workspace, start, tag_key, tag_value FROM observed_tag_day WHERE workspace = ? AND start = ?
) AS tags GROUP BY workspace, start`;

function upsertTagged(table: string): RowInsert {
  const onConflict = `ON CONFLICT (${KEY.join(', ')}) DO UPDATE SET ${addColumns(table, MEASURES)}`;
  return { table, columns: [...KEY, ...MEASURES], keyColumns: KEY.length, onConflict, returning: [] };
}

/** One tag of a workspace's calls on one day. */
interface DayTag {
  readonly workspace: number;
  readonly day: number;
  readonly key: string;
  readonly value: string;
}

interface TaggedSum {
  readonly tag: DayTag;
  readonly hour: number;
  readonly provider: number;
  readonly model: number;
  readonly totals: MutableTotals;
}

/**
 * Collects changes of the sums of observed calls by their tags. Tags above the maximum of a day are summed as `(other)`.
 * A tag that once has a row keeps it, so that a call is taken out of where it was added.
 */
export class ObservedTagSums {
  readonly #moved = new Map<string, TaggedSum>();

  add({ workspace, call, ...row }: ObservedRow, idOf: IdOf, sign: 1 | -1): void {
    const [hour, day] = [floor(call.startedAt, HOUR_MS), floor(call.startedAt, DAY_MS)];
    const totals = observedTotals(call, row);
    for (const [key, value] of Object.entries(call.tags)) {
      const place = { hour, provider: idOf(call.provider), model: idOf(call.model) };
      const name = JSON.stringify([workspace, key, value, ...Object.values(place)]);
      let moved = this.#moved.get(name);
      if (!moved) {
        moved = { ...place, tag: { workspace, day, key, value }, totals: emptySum() };
        this.#moved.set(name, moved);
      }
      addTotals(moved.totals, totals, sign);
    }
  }

  *write(): SqlSteps<void> {
    const changed = [...this.#moved.values()].filter(({ totals }) => !isEmptySum(totals));
    if (changed.length === 0) return;
    const names = yield* placeTags(changed.map(({ tag }) => tag));
    for (const { ms, add } of GRAINS) {
      const sums = new Map<string, { readonly key: (string | number)[]; readonly totals: MutableTotals }>();
      for (const { tag, hour, provider, model, totals } of changed) {
        const [tagKey, tagValue] = names.has(tagName(tag)) ? [tag.key, tag.value] : [OTHER, OTHER];
        const key = [tag.workspace, tagKey, tagValue, floor(hour, ms), provider, model];
        const name = JSON.stringify(key);
        const sum = sums.get(name) ?? { key, totals: emptySum() };
        addTotals(sum.totals, totals);
        sums.set(name, sum);
      }
      yield* insertRows(
        add,
        Array.from(sums.values(), ({ key, totals }) => [...key, ...listMeasures(totals, OBSERVED_MEASURES)]),
      );
    }
  }
}

function tagName({ workspace, day, key, value }: DayTag): string {
  return JSON.stringify([workspace, day, key, value]);
}

/** Returns the names of those tags that are summed under themselves. */
function* placeTags(all: readonly DayTag[]): SqlSteps<Set<string>> {
  const tags = new Map(all.map((tag) => [tagName(tag), tag]));
  const places = Array.from(tags.values(), ({ workspace, day, key, value }) => [workspace, day, key, value]);
  const known = new Set(
    (yield* askEach(KNOWN, places)).map((row) => {
      const [workspace, day] = [number(row, 'workspace'), number(row, 'start')];
      return tagName({ workspace, day, key: text(row, 'tag_key'), value: text(row, 'tag_value') });
    }),
  );
  const added = [...tags].filter(([name]) => !known.has(name));
  const days = new Map(added.map(([, { workspace, day }]) => [`${workspace} ${day}`, [workspace, day]]));
  const counts = new Map(
    (yield* askEach(COUNT, [...days.values()])).map((row) => [
      `${number(row, 'workspace')} ${number(row, 'start')}`,
      number(row, 'n'),
    ]),
  );
  for (const [name, { workspace, day }] of added) {
    const count = counts.get(`${workspace} ${day}`) ?? 0;
    if (count >= TAGS_PER_DAY_MAX) continue;
    counts.set(`${workspace} ${day}`, count + 1);
    known.add(name);
  }
  return known;
}
