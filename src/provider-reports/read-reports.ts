import type { Alert } from '../domain/alerts/alert.ts';
import { TollbookError } from '../domain/errors.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { AdminKey, AdminKeyRecords } from '../storage/records/admin-keys.ts';
import type { ProviderReportStore, ReportPage, ReportState } from '../storage/provider-reports.ts';
import { refusedKeyAlert, unknownClassAlert } from './report-alerts.ts';
import { type AskProvider, readOutcome, type RequestFailure, retryWaitMs } from './ask-provider.ts';
import { backfillProgress, nextDue, nextStep, type ReportStates, startOfTomorrow, type SyncStep } from './sync-plan.ts';
import {
  type DatedReport,
  type DaysPage,
  type DayWindow,
  MalformedReport,
  type ReportRequest,
  type ReportSource,
} from './source.ts';
import { DAY_MS } from '../domain/time/units.ts';

/**
 * Checks that a page has the requested days in order: a missing day would look like a day without usage. Only days that
 * have not started by the provider's clock may be missing at the end, which is today if the clocks differ.
 */
function checkDays({ days, next }: DaysPage, { start, end }: DayWindow, tomorrow: number): void {
  let expected = start;
  for (const { day } of days) {
    if (day !== expected || day >= end) throw new MalformedReport('days are missing or out of order');
    expected += DAY_MS;
  }
  if (next !== null && days.length === 0) throw new MalformedReport('a page before the last one has no days');
  if (next === null && expected < Math.min(end, tomorrow - DAY_MS))
    throw new MalformedReport('it ends before the requested days. Check the clock of this machine');
}

/** Throws for a page token that leads to its own page, which would never end. */
function refuseSamePage(token: string | null, next: string | null): void {
  if (next !== null && next === token) throw new MalformedReport('a page names itself as the next page');
}

/** Time after which a run ends, well before its claim on the connection expires. The next run continues. */
const RUN_MS_MAX = 60_000;
/** Maximum number of pages of one window of days, or of one list. */
const PAGES_MAX = 1_000;
/** Maximum number of unknown classes per page that raise an alert. */
const UNKNOWN_ALERTS_MAX = 5;

export interface ReportReaderParts {
  readonly adminKeys: Pick<AdminKeyRecords, 'get' | 'secret' | 'pause' | 'recordAttempt'>;
  readonly reports: ProviderReportStore;
  readonly ask: AskProvider;
  readonly clock: Clock;
  readonly log: Log;
  readonly raise: (alert: Alert) => Promise<void>;
}

type StoredPage = Pick<ReportPage, 'state'> & Partial<Pick<ReportPage, 'names' | 'days' | 'goesOn'>>;

/** Report source of a connection and the URL it is read from. */
export interface ReportEndpoint {
  readonly source: ReportSource;
  readonly url: string;
  /** Display name, for example `Anthropic`. */
  readonly name: string;
}

/**
 * Reads the due reports of one connection, newest days first. A run ends when nothing is left, when the provider asks to
 * wait, or after `RUN_MS_MAX`. Each page is stored together with the token of the next one, so that no stored page is
 * requested again after a crash.
 */
export class ReportReader {
  readonly #parts: ReportReaderParts;
  readonly #key: AdminKey;
  readonly #endpoint: ReportEndpoint;
  readonly #signal: AbortSignal;
  /** Reports to read even if they are not due. */
  readonly #requested: Set<string>;
  /** Reports that failed in this run. */
  readonly #skipped = new Set<string>();
  #headers: Record<string, string> = {};
  #states: ReportStates = new Map();
  #storedPages = 0;
  /** First failure of a report in this run. The other reports are still read. */
  #failure: RequestFailure | null = null;

  /** @param all read every report, even if it is not due */
  constructor(parts: ReportReaderParts, key: AdminKey, endpoint: ReportEndpoint, signal: AbortSignal, all: boolean) {
    this.#parts = parts;
    this.#key = key;
    this.#endpoint = endpoint;
    this.#signal = signal;
    this.#requested = new Set(all ? endpoint.source.reports.map(({ id }) => id) : []);
  }

  async run(): Promise<void> {
    const { adminKeys, clock, reports } = this.#parts;
    const began = clock();
    try {
      if (!(await this.#isActive())) return;
      const key = await adminKeys.secret(this.#key.id).catch(throwUndecryptable);
      this.#headers = this.#endpoint.source.headers(key);
      let isDone = false;
      while (!isDone && !this.#signal.aborted && clock() - began < RUN_MS_MAX && clock() >= began) {
        if (!(await this.#isActive())) return;
        this.#states = await reports.states(this.#key.id);
        isDone = !(await this.#readNext());
      }
      if (this.#signal.aborted) return;
      await this.#finish(isDone);
    } catch (error) {
      if (!(error instanceof ReadingStopped)) throw error;
      if (!this.#signal.aborted) await this.#fail(error.failure);
    }
  }

  /** Returns false if the connection was paused or removed in the meantime. */
  async #isActive(): Promise<boolean> {
    const { id, workspaceId } = this.#key;
    try {
      return (await this.#parts.adminKeys.get(workspaceId, id)).pausedAt === null;
    } catch (error) {
      ignoreRemoved(error);
      return false;
    }
  }

  /** Returns false if nothing is left to do now. */
  async #readNext(): Promise<boolean> {
    const { source } = this.#endpoint;
    const reports = { source, states: this.#states, requested: this.#requested, skipped: this.#skipped };
    const step = nextStep({ ...reports, now: this.#parts.clock() });
    if (!step) return false;
    try {
      if (step.kind === 'names') await this.#readNames(step);
      else if (step.kind === 'refresh') await this.#refreshDays(step);
      else await this.#backfillDays(step);
      this.#requested.delete(step.report.id);
    } catch (error) {
      const failure = reportFailure(error);
      this.#skipped.add(step.report.id);
      this.#failure ??= failure;
      this.#parts.log.warn({ adminKey: this.#key.id, report: step.report.id }, this.#describe(failure));
    }
    return true;
  }

  async #readNames({ report, state }: Extract<SyncStep, { kind: 'names' }>): Promise<void> {
    const known = await this.#parts.reports.names(this.#key.id);
    const projects = known.flatMap(({ kind, id, status }) => (kind === 'project' && status !== 'archived' ? [id] : []));
    projects.sort();
    let progress = state;
    for (let pages = 0; pages < PAGES_MAX; pages += 1) {
      const token = progress.cursor?.page ?? null;
      const request = report.request(token, projects);
      // The list of projects could not be read in this run, and this list needs it.
      if (request === null && this.#skipped.size > 0) return void this.#skipped.add(report.id);
      const body = request && (await this.#request(request, token, progress, report.id).catch(emptyWhereMissing));
      const { names, next } = body === null ? { names: [], next: null } : report.read(body, token, projects);
      refuseSamePage(token, next);
      const cursor = next === null ? null : { start: 0, end: 0, page: next };
      const readAt = cursor === null ? this.#parts.clock() : progress.readAt;
      progress = await this.#store(report.id, { names, state: { ...progress, cursor, readAt } });
      if (cursor === null) return;
    }
    throw new MalformedReport('the list has too many pages');
  }

  /** Reads the days that may have changed, up to today, and replaces them. */
  async #refreshDays({ report, state, from }: Extract<SyncStep, { kind: 'refresh' }>): Promise<void> {
    const tomorrow = startOfTomorrow(this.#parts.clock());
    let progress = state;
    for (let start = from; start < tomorrow;) {
      const end = Math.min(tomorrow, start + report.windowDays * DAY_MS);
      const days = await this.#readWindow(report, { start, end }, progress);
      const isLast = end === tomorrow;
      const doneTo = isLast ? tomorrow : Math.max(progress.doneTo, end);
      const readAt = isLast ? this.#parts.clock() : progress.readAt;
      progress = await this.#store(report.id, { days, state: { ...progress, doneTo, readAt } });
      start = end;
    }
  }

  /** Reads all pages of a window of a few days. They replace the stored days together. */
  async #readWindow(report: DatedReport, window: DayWindow, state: ReportState): Promise<DaysPage['days']> {
    const days: DaysPage['days'][number][] = [];
    let token: string | null = null;
    let start = window.start;
    for (let pages = 0; pages < PAGES_MAX; pages += 1) {
      const page: DaysPage = await this.#readPage(report, { start, end: window.end }, window, token, state);
      days.push(...page.days);
      if (page.next === null) return report.splitsDays ? joinDays(days) : days;
      token = page.next;
      if (!report.splitsDays) start = (page.days.at(-1)?.day ?? start) + DAY_MS;
    }
    throw new MalformedReport('the days have too many pages');
  }

  /** Reads the next page of older days. */
  async #backfillDays({ report, state, window, page }: Extract<SyncStep, { kind: 'backfill' }>): Promise<void> {
    const range = { start: Math.max(state.goal, state.doneFrom - report.windowDays * DAY_MS), end: state.doneFrom };
    const { days, next } = await this.#readPage(report, window, range, page, state);
    const goesOn = report.splitsDays && page !== null;
    const start = report.splitsDays ? window.start : (days.at(-1)?.day ?? window.start) + DAY_MS;
    const cursor = next === null ? null : { start, end: range.end, page: next };
    const doneFrom = next === null ? range.start : state.doneFrom;
    await this.#store(report.id, { days, goesOn, state: { ...state, cursor, doneFrom } });
    if (next === null) await this.#logProgress(report, range);
  }

  /** Reads one page of `range`. `missing`: the days that were not on earlier pages. */
  async #readPage(
    report: DatedReport,
    missing: DayWindow,
    range: DayWindow,
    token: string | null,
    state: ReportState,
  ): Promise<DaysPage> {
    const request = report.request({ start: range.start, end: range.end }, token);
    const read = report.read(await this.#request(request, token, state, report.id), range);
    refuseSamePage(token, read.next);
    if (!report.splitsDays) checkDays(read, missing, startOfTomorrow(this.#parts.clock()));
    for (const name of read.unknown.slice(0, UNKNOWN_ALERTS_MAX)) await this.#alertUnknownClass(report.id, name);
    return read;
  }

  /** Returns the body of a response. If the provider no longer accepts a page token, the next run reads the window again. */
  async #request(request: ReportRequest, token: string | null, state: ReportState, report: string): Promise<unknown> {
    const { ask, clock } = this.#parts;
    const { url } = this.#endpoint;
    const answer = await ask({ url, request, headers: this.#headers, signal: this.#signal });
    const outcome = readOutcome(answer, clock());
    if (outcome.kind === 'body') return outcome.body;
    if (outcome.kind !== 'unusable') throw new ReadingStopped(outcome);
    if (token !== null && outcome.status === 400 && state.cursor)
      await this.#store(report, { state: { ...state, cursor: null } });
    throw new ReportFailed(outcome);
  }

  /** Stores a page and the progress after it. Returns the progress with its new revision. */
  async #store(report: string, page: StoredPage): Promise<ReportState> {
    const { reports, clock } = this.#parts;
    const empty = { names: [], days: [], goesOn: false };
    const isStored = await reports.keep({ ...empty, connectionId: this.#key.id, report, readAt: clock(), ...page });
    this.#storedPages += 1;
    if (!isStored) throw new ReadingStopped({ kind: 'unreachable', reason: 'another process reads the same report' });
    return { ...page.state, revision: page.state.revision + 1 };
  }

  async #logProgress({ id }: DatedReport, { start }: DayWindow): Promise<void> {
    const { log, reports } = this.#parts;
    const backfill = backfillProgress(this.#endpoint.source, await reports.states(this.#key.id));
    const from = new Date(start).toISOString().slice(0, 10);
    log.debug({ adminKey: this.#key.id, report: id, from, ...backfill }, 'read days of a report');
  }

  async #alertUnknownClass(report: string, name: string): Promise<void> {
    await this.#parts.raise(unknownClassAlert(this.#key, this.#endpoint.name, report, name, this.#parts.clock()));
  }

  async #finish(isDone: boolean): Promise<void> {
    const { adminKeys, clock, reports } = this.#parts;
    if (this.#failure) return await this.#fail(this.#failure);
    const now = clock();
    const nextAt = isDone ? nextDue(this.#endpoint.source, await reports.states(this.#key.id), now) : now;
    await adminKeys.recordAttempt(this.#key.id, { nextAt, failures: 0, problem: null });
  }

  async #fail(failure: RequestFailure): Promise<void> {
    const { adminKeys, clock, log, raise } = this.#parts;
    const { id, workspaceId } = this.#key;
    const problem = this.#describe(failure);
    // After a stored page, waits start again with the shortest.
    const failures = this.#storedPages > 0 ? 1 : this.#key.failures + 1;
    const now = clock();
    await adminKeys.recordAttempt(id, { nextAt: now + retryWaitMs(failure, failures), failures, problem });
    if (failure.kind !== 'refused') return log.warn({ adminKey: id, failures }, problem);
    // If the key was replaced in the meantime, the failure does not concern the new one.
    const known = await adminKeys.get(workspaceId, id).catch(ignoreRemoved);
    if (known?.fingerprint !== this.#key.fingerprint)
      return await adminKeys.recordAttempt(id, { nextAt: now, failures: 0, problem: null });
    await adminKeys.pause(workspaceId, id, problem, 'system').catch(ignoreRemoved);
    await raise(refusedKeyAlert(this.#key, problem, now));
  }

  #describe(failure: RequestFailure): string {
    const { name } = this.#endpoint;
    if (failure.kind === 'refused') return `${name} refused the admin key: ${failure.reason}.`;
    if (failure.kind === 'rate_limited') return `${name} limits the rate of requests.`;
    if (failure.kind === 'unreachable') return `${name} could not be reached: ${failure.reason}.`;
    return `${name} returned an unusable report: ${failure.reason}.`;
  }
}

/** Ends the run. */
class ReadingStopped extends Error {
  readonly failure: RequestFailure;

  constructor(failure: RequestFailure) {
    super(failure.kind);
    this.failure = failure;
  }
}

/** Ends the work on one report. The other reports continue. */
class ReportFailed extends Error {
  readonly failure: RequestFailure;

  constructor(failure: RequestFailure) {
    super(failure.kind);
    this.failure = failure;
  }
}

/** Joins the pages of one day. */
function joinDays(days: DaysPage['days']): DaysPage['days'] {
  const [first] = days;
  if (first?.kind !== 'people') return days;
  return [{ ...first, rows: days.flatMap((day) => (day.kind === 'people' ? day.rows : [])) }];
}

/** Returns an empty list for a 404: a provider may not have a list, or a project may have been deleted. */
function emptyWhereMissing(error: unknown): unknown {
  if (error instanceof ReportFailed && error.failure.kind === 'unusable' && error.failure.status === 404)
    return { data: [], has_more: false };
  throw error;
}

function reportFailure(error: unknown): RequestFailure {
  if (error instanceof ReportFailed) return error.failure;
  if (error instanceof MalformedReport) return { kind: 'unusable', reason: error.message };
  throw error;
}

function throwUndecryptable(error: unknown): never {
  if (error instanceof TollbookError && error.type === 'internal')
    throw new ReadingStopped({
      kind: 'refused',
      reason: 'its stored secret was changed outside Tollbook and cannot be decrypted',
    });
  throw error;
}

function ignoreRemoved(error: unknown): undefined {
  if (!(error instanceof TollbookError && error.type === 'not_found')) throw error;
}
