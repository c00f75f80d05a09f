import type { UsageTotals } from '../domain/usage/usage-totals.ts';
import type { HourBucket, SpendSeries, SeriesScope } from '../domain/anomaly/series.ts';
import { HOUR_MS } from '../domain/time/units.ts';

/** Cost, calls, failed calls and tokens of an hour. */
const FIELDS = 4;

/** A series as a flat list of numbers, hour by hour, for the cache and for another thread. */
export interface PackedSeries {
  readonly scope: SeriesScope;
  readonly numbers: Float64Array;
}

export function createPackedSeries(scope: SeriesScope, hours: number): PackedSeries {
  return { scope, numbers: new Float64Array(hours * FIELDS) };
}

/** Sets the sums of an hour; hours out of range are ignored. `start` = the start of the series. */
export function setHour({ numbers }: PackedSeries, start: number, hour: number, totals: UsageTotals): void {
  const at = ((hour - start) / HOUR_MS) * FIELDS;
  if (at < 0 || at >= numbers.length) return;
  numbers[at] = Number(totals.cost);
  numbers[at + 1] = totals.calls;
  numbers[at + 2] = totals.failedCalls;
  numbers[at + 3] = totals.inputTokens + totals.outputTokens;
}

export function unpackSeries({ scope, numbers }: PackedSeries, start: number): SpendSeries {
  const hours: HourBucket[] = [];
  for (let at = 0; at < numbers.length; at += FIELDS) {
    const [cost, calls] = [numbers[at] ?? 0, numbers[at + 1] ?? 0];
    if (cost === 0 && calls === 0) continue;
    const [failed, tokens] = [numbers[at + 2] ?? 0, numbers[at + 3] ?? 0];
    hours.push({ hour: start + (at / FIELDS) * HOUR_MS, cost, calls, failed, tokens });
  }
  return { scope, name: describeScope(scope), hours };
}

/** Returns the first hour with usage, epoch ms; null = none. */
export function firstHour({ numbers }: PackedSeries, start: number): number | null {
  const at = numbers.findIndex((number) => number !== 0);
  return at < 0 ? null : start + Math.floor(at / FIELDS) * HOUR_MS;
}

/** Describes a scope in words. Keys are named by id; alerts replace ids by names. */
function describeScope({ kind, id, tag }: SeriesScope): string {
  switch (kind) {
    case 'workspace':
      return 'the workspace';
    case 'key':
      return `key ${id}`;
    case 'tag':
      return `${tag}=${cut(id)}`;
    case 'model':
      return `model ${cut(id)}`;
    case 'provider':
      return id;
  }
}

const NAME_CHARS_MAX = 80;

function cut(text: string): string {
  return text.length > NAME_CHARS_MAX ? `${text.slice(0, NAME_CHARS_MAX - 1)}…` : text;
}
