import { setImmediate } from 'node:timers/promises';
import { scopeKey, type ScopeKind, type SeriesScope, WHOLE_WORKSPACE } from '../domain/anomaly/series.ts';
import { type PackedSeries, createPackedSeries, setHour } from './packed-series.ts';
import { DAY_MS, HOUR_MS } from '../domain/time/units.ts';
import type { Period } from '../domain/time/period.ts';
import type { SeriesFilter, SeriesRow, UsageQueries } from '../storage/usage-queries.ts';
import type { SeriesDimension } from '../domain/usage/call.ts';

/** Hours to read per turn. */
const READ_HOURS = 24;
/** Tag keys that are ranked by spend, and tag keys whose values are watched: those with most spend. */
const TAG_KEYS_RANKED_MAX = 50;
const TAG_KEYS_MAX = 5;
/** Series to watch of each kind (and of each tag), biggest first. */
const SERIES_MAX: Readonly<Record<Exclude<ScopeKind, 'workspace'>, number>> = {
  provider: 20,
  key: 100,
  model: 50,
  tag: 25,
};
/** Additional series of each kind, for new values. */
const JOINED_MAX = 10;
const JOINED_AT_ONCE_MAX = 5;
/** Minimum spend in the newest hours, nano-USD, for a series to be added before the next ranking. */
const JOINED_LEAST = 1_000_000_000;
/** Value under which the store counts values above its caps. */
const OTHER = '(other)';

export type HourlyQueries = Pick<UsageQueries, 'series' | 'byTag' | 'tagKeys'>;

/** A kind of series and its tag. */
interface SeriesBreakdown {
  readonly kind: Exclude<ScopeKind, 'workspace'>;
  /** '' for other kinds than tags. */
  readonly tag: string;
}

interface NewSeries {
  readonly scope: SeriesScope;
  readonly cost: number;
}

/** Hourly series of one workspace: the total and its biggest keys, models, providers and tag values. */
export class HourlySeries {
  readonly range: Period;
  readonly series = new Map<string, PackedSeries>();
  readonly #reports: HourlyQueries;
  readonly #workspaceId: string;
  #breakdowns: readonly SeriesBreakdown[] = [];

  /** `range` = whole hours; the series have room for each. */
  constructor(reports: HourlyQueries, workspaceId: string, range: Period) {
    this.#reports = reports;
    this.#workspaceId = workspaceId;
    this.range = range;
  }

  /** Chooses the series and reads all their hours up to `end`. */
  async readAll(end: number, signal?: AbortSignal): Promise<void> {
    const range = { start: this.range.start, end };
    this.#breakdowns = await this.#rank(range);
    this.#add(WHOLE_WORKSPACE);
    for (const breakdown of this.#breakdowns) await this.#choose(breakdown, range);
    await this.#readHours(range, signal);
  }

  /** Reads hours again. Adds series for new values, with their history. */
  async read(range: Period, signal?: AbortSignal): Promise<void> {
    const newcomers = [...(await this.#readHours(range, signal)).values()];
    const real = newcomers.filter(({ cost }) => cost >= JOINED_LEAST);
    const biggest = real.toSorted((a, b) => b.cost - a.cost).slice(0, JOINED_AT_ONCE_MAX);
    for (const { scope } of biggest) await this.#join(scope, range.end);
  }

  /** Reads hours. Returns values without a series, by scope. */
  async #readHours(range: Period, signal?: AbortSignal): Promise<ReadonlyMap<string, NewSeries>> {
    const newcomers = new Map<string, NewSeries>();
    for (let start = range.start; start < range.end; start += READ_HOURS * HOUR_MS) {
      const part = { start, end: Math.min(range.end, start + READ_HOURS * HOUR_MS) };
      this.#take(await this.#ask(part, null, {}), () => WHOLE_WORKSPACE, newcomers);
      for (const breakdown of this.#breakdowns) {
        signal?.throwIfAborted();
        const scopeOf = (id: string): SeriesScope => ({ ...breakdown, id });
        this.#take(await this.#ask(part, breakdown, {}), scopeOf, newcomers);
        await setImmediate();
      }
    }
    return newcomers;
  }

  #take(rows: readonly SeriesRow[], scopeOf: (id: string) => SeriesScope, newcomers: Map<string, NewSeries>): void {
    for (const { bucket, value, totals } of rows) {
      const scope = scopeOf(value ?? '');
      if ((scope.kind !== 'workspace' && scope.id === '') || scope.id === OTHER) continue;
      const key = scopeKey(scope);
      const known = this.series.get(key);
      if (known) setHour(known, this.range.start, bucket, totals);
      else if (totals.cost > 0n)
        newcomers.set(key, { scope, cost: (newcomers.get(key)?.cost ?? 0) + Number(totals.cost) });
    }
  }

  async #join(scope: SeriesScope, end: number): Promise<void> {
    const { kind, tag } = scope;
    if (kind === 'workspace') return;
    const alike = [...this.series.values()].filter((one) => one.scope.kind === kind && one.scope.tag === tag);
    if (alike.length >= SERIES_MAX[kind] + JOINED_MAX) return;
    const series = this.#add(scope);
    for (let start = this.range.start; start < end; start += DAY_MS) {
      const rows = await this.#ask({ start, end: Math.min(end, start + DAY_MS) }, null, scopeFilter(scope));
      for (const { bucket, totals } of rows) setHour(series, this.range.start, bucket, totals);
      await setImmediate();
    }
  }

  /** Returns the kinds of series: providers, keys, models, and the tags with most spend. */
  async #rank(range: Period): Promise<SeriesBreakdown[]> {
    const keys = (await this.#reports.tagKeys(this.#workspaceId)).filter((key) => key !== OTHER);
    const spent: { tag: string; cost: bigint }[] = [];
    for (const tag of keys.slice(0, TAG_KEYS_RANKED_MAX)) {
      const rows = await this.#reports.byTag(this.#workspaceId, tag, range);
      spent.push({ tag, cost: rows.reduce((sum, { cost }) => sum + cost, 0n) });
      await setImmediate();
    }
    const most = spent.toSorted((a, b) => Number(b.cost - a.cost)).slice(0, TAG_KEYS_MAX);
    const plain = (['provider', 'key', 'model'] as const).map((kind) => ({ kind, tag: '' }));
    return [...plain, ...most.map(({ tag }) => ({ kind: 'tag' as const, tag }))];
  }

  /**
   * Adds the biggest series. The last day counts as much as all days before it, because new values have no history.
   */
  async #choose(breakdown: SeriesBreakdown, { start, end }: Period): Promise<void> {
    const days = Math.max(1, Math.round((end - start) / DAY_MS));
    const lastDay = Math.max(start + HOUR_MS, end - DAY_MS);
    const by = breakdown.kind as SeriesDimension;
    const rows = await this.#reports.series(this.#workspaceId, {
      range: { start, end },
      buckets: [start, lastDay],
      by,
      ...(breakdown.kind === 'tag' && { tagKey: breakdown.tag }),
      filter: {},
    });
    const scores = new Map<string, number>();
    for (const { bucket, value, totals } of rows)
      if (value !== null && value !== OTHER)
        scores.set(value, (scores.get(value) ?? 0) + Number(totals.cost) * (bucket === lastDay ? days : 1));
    const biggest = [...scores].toSorted(([, a], [, b]) => b - a).slice(0, SERIES_MAX[breakdown.kind]);
    for (const [id] of biggest) this.#add({ ...breakdown, id });
    await setImmediate();
  }

  #add(scope: SeriesScope): PackedSeries {
    const hours = (this.range.end - this.range.start) / HOUR_MS;
    const series = createPackedSeries(scope, hours);
    this.series.set(scopeKey(scope), series);
    return series;
  }

  #ask(range: Period, by: SeriesBreakdown | null, filter: SeriesFilter): Promise<SeriesRow[]> {
    const hours = Math.ceil((range.end - range.start) / HOUR_MS);
    return this.#reports.series(this.#workspaceId, {
      range,
      buckets: Array.from({ length: hours }, (_, hour) => range.start + hour * HOUR_MS),
      by: by && by.kind,
      ...(by?.kind === 'tag' && { tagKey: by.tag }),
      filter,
    });
  }
}

function scopeFilter({ kind, id, tag }: SeriesScope): SeriesFilter {
  switch (kind) {
    case 'workspace':
      return {};
    case 'key':
      return { keyId: id };
    case 'tag':
      return { tag: { key: tag, value: id } };
    case 'model':
      return { model: id };
    case 'provider':
      return { provider: id };
  }
}
