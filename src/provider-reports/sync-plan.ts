import type { ReportState } from '../storage/provider-reports.ts';
import type { DatedReport, DayWindow, ListReport, ProviderReport, ReportSource } from './source.ts';
import { DAY_MS } from '../domain/time/units.ts';

/** Days before today that the provider may still change. */
const SETTLING_DAYS = 2;

export type ReportStates = ReadonlyMap<string, ReportState>;

/** The next request of a sync. */
export type SyncStep =
  | { readonly kind: 'names'; readonly report: ListReport; readonly state: ReportState }
  /** Days that may have changed, up to today. */
  | { readonly kind: 'refresh'; readonly report: DatedReport; readonly state: ReportState; readonly from: number }
  /** Older days, newest first. `page`: next page of an unfinished window. */
  | {
      readonly kind: 'backfill';
      readonly report: DatedReport;
      readonly state: ReportState;
      readonly window: DayWindow;
      readonly page: string | null;
    };

interface PlanInput {
  readonly source: ReportSource;
  readonly states: ReportStates;
  readonly now: number;
  /** Reports to read now even if they are not due. */
  readonly requested: ReadonlySet<string>;
  /** Reports to skip because they just failed. */
  readonly skipped: ReadonlySet<string>;
}

/** Returns the next step; null = nothing is due. New days come before old ones. */
export function nextStep({ source, states, now, requested, skipped }: PlanInput): SyncStep | null {
  const open = source.reports.filter(({ id }) => !skipped.has(id));
  const stateOf = (report: ProviderReport): ReportState => states.get(report.id) ?? firstState(report, now);
  const isDue = (report: ProviderReport): boolean =>
    requested.has(report.id) || stateOf(report).readAt + report.everyMs <= now || stateOf(report).readAt > now;
  for (const report of open) {
    if (!isDue(report)) continue;
    const state = stateOf(report);
    if (report.kind === 'names') return { kind: 'names', report, state };
    return { kind: 'refresh', report, state, from: refreshFrom(state, now) };
  }
  return newestBackfill(open, stateOf);
}

/** Returns the time at which the next report is due. */
export function nextDue(source: ReportSource, states: ReportStates, now: number): number {
  const due = source.reports.map(({ id, everyMs }) => (states.get(id)?.readAt ?? 0) + everyMs);
  return Math.max(now, Math.min(...due));
}

/** Returns how many of the newest days all dated reports have read, out of the longest backfill. */
export function backfillProgress(
  source: ReportSource,
  states: ReportStates,
): { readonly days: number; readonly of: number } {
  const dated = source.reports.filter((report) => report.kind === 'days');
  const of = Math.max(...dated.map(({ backfillDays }) => backfillDays));
  const days = dated.map(({ id, backfillDays }) => {
    const { top = 0, doneFrom = 0 } = states.get(id) ?? {};
    const done = (top - doneFrom) / DAY_MS;
    return done < backfillDays ? done : of;
  });
  return { days: Math.min(...days), of };
}

/** Returns the days for which both usage and costs were read, and from when they may still change; null = none yet. */
export function findReadDays(
  source: ReportSource,
  states: ReportStates,
): (DayWindow & { readonly closedBefore: number }) | null {
  const dated = source.reports.filter((report) => report.kind === 'days' && !report.splitsDays);
  const known = dated.flatMap(({ id }) => states.get(id) ?? []);
  if (known.length === 0 || known.length < dated.length) return null;
  const start = Math.max(...known.map(({ doneFrom }) => doneFrom));
  const end = Math.min(...known.map(({ doneTo }) => doneTo));
  const readAt = Math.min(...known.map((state) => state.readAt));
  return start < end ? { start, end, closedBefore: startOfTomorrow(readAt) - (SETTLING_DAYS + 1) * DAY_MS } : null;
}

export function startOfTomorrow(now: number): number {
  return now - (now % DAY_MS) + DAY_MS;
}

/** Returns the state of a report that was never read. Its backfill starts with the days that may still change. */
function firstState(report: ProviderReport, now: number): ReportState {
  const nothing = { revision: 0, goal: 0, top: 0, doneFrom: 0, doneTo: 0, cursor: null, readAt: 0 };
  if (report.kind === 'names') return nothing;
  const top = startOfTomorrow(now);
  return { ...nothing, goal: top - report.backfillDays * DAY_MS, top, doneFrom: top, doneTo: top, readAt: now };
}

function refreshFrom({ doneTo, goal }: ReportState, now: number): number {
  const tomorrow = startOfTomorrow(now);
  // A clock that was ahead made both too late.
  const from = Math.max(goal, Math.min(doneTo, tomorrow) - (SETTLING_DAYS + 1) * DAY_MS);
  return Math.min(from, tomorrow - DAY_MS);
}

function newestBackfill(
  reports: readonly ProviderReport[],
  stateOf: (report: ProviderReport) => ReportState,
): SyncStep | null {
  let newest: SyncStep | null = null;
  for (const report of reports) {
    if (report.kind !== 'days') continue;
    const state = stateOf(report);
    if (state.doneFrom <= state.goal) continue;
    if (newest && newest.state.doneFrom >= state.doneFrom) continue;
    const { cursor } = state;
    const start = Math.max(state.goal, state.doneFrom - report.windowDays * DAY_MS);
    const window = cursor ?? { start, end: state.doneFrom };
    newest = { kind: 'backfill', report, state, window, page: cursor?.page ?? null };
  }
  return newest;
}
