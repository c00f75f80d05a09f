import { PERSON_TAG } from '../domain/text/person.ts';
import type { CoverageShape } from '../contract/coverage.ts';
import type { CoveredUsage, UsageSeries } from '../contract/usage.ts';
import { TollbookError } from '../domain/errors.ts';
import { PERIOD_STEPS, type PeriodStep } from '../domain/time/period.ts';
import { DIMENSIONS, type EntrySource, type SeriesDimension } from '../domain/usage/call.ts';

/** One way to split spend: by values of a dimension, or over time. */
export interface SpendGrouping {
  /** Name that the person wrote, for example `tag:team`. */
  readonly name: string;
  readonly by: SeriesDimension | null;
  readonly tagKey?: string;
  readonly step: PeriodStep;
}

/** Usage and cost of some calls, in US dollars. */
export interface SpendSum {
  readonly cost: number;
  readonly calls: number;
  readonly failedCalls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly uncertainCalls: number;
  /** US dollars that uncertain calls may have cost in addition. */
  readonly uncertainUpTo: number;
  readonly unpricedCalls: number;
  /** Some usage without a number of calls has no price. */
  readonly unpricedUsage: boolean;
}

export interface SpendRow extends SpendSum {
  /** null = no value: untagged, or not through a key. */
  readonly value: string | null;
  /** The same of the period before; absent = not compared. */
  readonly before?: SpendSum;
}

/** Output of `--json`. Amounts in US dollars. */
export interface SpendReport {
  readonly period: UsageSeries['period'];
  /** Zone of the printed period. Days, weeks and months are those of the workspace. */
  readonly timeZone: string;
  /** Period before, of the same length; null = not compared. */
  readonly comparedWith: UsageSeries['period'] | null;
  readonly total: SpendRow;
  readonly breakdowns: readonly SpendBreakdown[];
  /** Sums by the source of their entries. Everything but `proxy` is outside the gateway. */
  readonly sources: readonly (SpendSum & { readonly source: EntrySource })[];
  /** Usage that subscriptions cover, at list prices. It is not in the sums. */
  readonly covered: Pick<CoveredUsage, 'cost' | 'calls'> | null;
  /** Coverage of organizations with an admin key; null = the report is filtered. */
  readonly organizations: readonly Pick<CoverageShape['organizations'][number], 'name' | 'unknown' | 'share'>[] | null;
  /** Names of wrapped keys by id. */
  readonly keyNames: Readonly<Record<string, string>>;
}

export interface SpendBreakdown {
  readonly by: string;
  /** Absent = not over time. */
  readonly step?: PeriodStep;
  readonly rows: readonly SpendRow[];
}

type SeriesPoints = readonly UsageSeries['points'][number][];

const NANO = 1e9;
const OTHER_VALUES = '(other)';

/** Groupings that a person can name, for help and completion. */
export const GROUPING_NAMES = [...DIMENSIONS.filter((name) => name !== 'tag'), 'person', 'tag:NAME', ...PERIOD_STEPS];

/** Reads `model,tag:team,day`. */
export function readGroupings(text: string): SpendGrouping[] {
  return text.split(',').map((part) => readGrouping(part.trim()));
}

function readGrouping(name: string): SpendGrouping {
  const step = PERIOD_STEPS.find((known) => known === name);
  if (step) return { name, by: null, step };
  const tagKey = name === 'person' ? PERSON_TAG : name.startsWith('tag:') ? name.slice('tag:'.length) : undefined;
  // A long step, because the sums over time are not needed.
  if (tagKey) return { name, by: 'tag', tagKey, step: 'month' };
  const by = DIMENSIONS.find((known) => known === name && known !== 'tag');
  if (by) return { name, by, step: 'month' };
  const known = GROUPING_NAMES.join(', ');
  throw new TollbookError('invalid', `--by "${name.slice(0, 40)}" is not a group; use ${known}.`, '--by');
}

/** Returns the rows of a grouping: steps in order of time, or values by cost, with the sum of the others last. */
export function buildSpendRows(series: UsageSeries, { by }: SpendGrouping): SpendRow[] {
  const { comparison } = series;
  if (by === null)
    return series.starts.map((start, index) =>
      createRow(
        start,
        series.points.filter((point) => point.start === start),
        comparison && stepPoints(comparison, index),
      ),
    );
  const now = Map.groupBy(series.points, ({ value }) => value);
  const before = Map.groupBy(comparison?.points ?? [], ({ value }) => value);
  const rows = [...new Set([...now.keys(), ...before.keys()])].map((value) =>
    createRow(value, now.get(value) ?? [], comparison && (before.get(value) ?? [])),
  );
  return rows.toSorted((a, b) => othersLast(a) - othersLast(b) || b.cost - a.cost || b.calls - a.calls);
}

function othersLast({ value }: SpendRow): number {
  return value === OTHER_VALUES ? 1 : 0;
}

/** The periods have equal lengths, so that their steps correspond. */
function stepPoints({ starts, points }: NonNullable<UsageSeries['comparison']>, index: number): SeriesPoints {
  return points.filter(({ start }) => start === starts[index]);
}

function createRow(value: string | null, now: SeriesPoints, before: SeriesPoints | undefined): SpendRow {
  return { value, ...sumSpend(now), ...(before && { before: sumSpend(before) }) };
}

/** Returns the sum of a whole series. */
export function totalSpend({ points, comparison }: UsageSeries): SpendRow {
  return createRow(null, points, comparison?.points);
}

export function sumSpend(points: SeriesPoints): SpendSum {
  const add = (read: (point: UsageSeries['points'][number]) => number | undefined): number =>
    points.reduce((sum, point) => sum + (read(point) ?? 0), 0);
  return {
    cost: exact(add(({ cost }) => cost)),
    calls: add(({ calls }) => calls),
    failedCalls: add(({ failedCalls }) => failedCalls),
    inputTokens: add(({ inputTokens }) => inputTokens),
    outputTokens: add(({ outputTokens }) => outputTokens),
    uncertainCalls: add(({ uncertainCalls }) => uncertainCalls),
    uncertainUpTo: exact(add(({ uncertainUpTo }) => uncertainUpTo)),
    unpricedCalls: add(({ unpricedCalls }) => unpricedCalls),
    unpricedUsage: points.some(({ unpricedUsage }) => unpricedUsage === true),
  };
}

/** Returns a sum of dollars without the error of binary fractions. */
function exact(usd: number): number {
  return Math.round(usd * NANO) / NANO;
}
