import { type ReportedSplit, splitReported } from '../../domain/reconciliation/split-reported.ts';
import type { Period } from '../../domain/time/period.ts';
import { DAY_MS } from '../../domain/time/units.ts';
import { addUnder, EMPTY_TOTALS, type MutableTotals, type UsageTotals } from '../../domain/usage/usage-totals.ts';
import type { PricedAs } from '../../storage/counter-store.ts';
import { floor } from '../../storage/range-segments.ts';
import type { Records } from '../../storage/records/records.ts';
import type { PricingOf } from '../../storage/session-store.ts';
import type { UnproxiedSum, UnproxiedUsageStore } from '../../storage/unproxied-usage.ts';
import type { ProviderReportService, ReadTime } from '../provider-reports.ts';

/** A period that provider reports of an organization cover. */
interface ReportedTime extends ReadTime {
  readonly provider: string;
}

/** The time that a workspace's provider reports cover, and the names by which their models are compared. */
export interface ReportContext {
  readonly times: readonly ReportedTime[];
  readonly pricedAs: PricedAs;
}

export const NO_REPORTS: ReportContext = { times: [], pricedAs: () => null };

export interface ReportContextParts {
  readonly records: Pick<Records, 'adminKeys'>;
  readonly providerReports: Pick<ProviderReportService, 'readTime'>;
  readonly pricingOf: PricingOf;
}

/** Reads the context of a workspace, including paused admin keys. */
export async function readReportContext(
  { records, providerReports, pricingOf }: ReportContextParts,
  workspaceId: string,
): Promise<ReportContext> {
  const times: ReportedTime[] = [];
  for (const key of await records.adminKeys.list(workspaceId)) {
    const time = await providerReports.readTime(key);
    if (time) times.push({ provider: key.provider, ...time });
  }
  return { times, pricedAs: pricingOf(workspaceId).pricedAs };
}

/** Unproxied usage in reports. */
export interface ReportedUsage {
  /** Usage of the period, by day or over several days. */
  readonly owed: readonly UnproxiedSum[];
  /** Usage of whole open days that the period touches, by day. */
  readonly open: readonly UnproxiedSum[];
}

/** Reads unproxied usage of a period, each day once, so that what it adds and what it covers is the same. */
export async function readUnproxiedReports(
  unproxiedUsage: Pick<UnproxiedUsageStore, 'sums' | 'dailySums'>,
  workspaceId: string,
  { start, end }: Period,
  { times }: ReportContext,
): Promise<ReportedUsage> {
  const days = listOpenDays(times, { start, end });
  const from = Math.min(end, ...days);
  const open = from < end ? await unproxiedUsage.dailySums(workspaceId, { start: from, end }) : [];
  const closed = start < from ? await unproxiedUsage.sums(workspaceId, { start, end: from }) : [];
  return { owed: [...closed, ...open.filter(({ day }) => day >= start)], open };
}

/** Returns the open days that a period touches. */
export function listOpenDays(times: readonly ReportedTime[], { start, end }: Period): number[] {
  const all = new Set(times.flatMap(({ openDays }) => [...openDays]));
  return [...all].filter((day) => day < end && day + DAY_MS > start);
}

/**
 * Decides how much of what clients saw is in reports. The report of a final day covers all of its provider's usage. One
 * of an open day covers what it states; days are taken in order, as reports state the earliest usage first.
 */
export class ReportCover {
  readonly #context: ReportContext;
  readonly #left = new Map<string, MutableTotals>();

  constructor(context: ReportContext, open: readonly UnproxiedSum[]) {
    this.#context = context;
    for (const { day, provider, model, totals } of open)
      if (model !== null) addUnder(this.#left, this.#key(day, provider, model), totals);
  }

  /** Splits usage of a part of one day. */
  split(
    part: Period,
    { provider, model, totals }: { readonly provider: string; readonly model: string; readonly totals: UsageTotals },
  ): ReportedSplit {
    const times = this.#context.times.filter((one) => one.provider === provider && isWithin(part, one));
    if (times.length === 0) return { reported: EMPTY_TOTALS, owed: totals };
    const day = floor(part.start, DAY_MS);
    if (!times.some(({ openDays }) => openDays.has(day))) return { reported: totals, owed: EMPTY_TOTALS };
    return splitReported(totals, this.#left.get(this.#key(day, provider, model)) ?? { ...EMPTY_TOTALS });
  }

  /** Reports and clients spell models differently. */
  #key(day: number, provider: string, model: string): string {
    return JSON.stringify([day, provider, this.#context.pricedAs(provider, model) ?? model.toLowerCase()]);
  }
}

function isWithin(part: Period, time: Period): boolean {
  return time.start <= part.start && part.end <= time.end;
}
