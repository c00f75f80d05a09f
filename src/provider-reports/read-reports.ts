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

/** Well below the lifetime of a claim. The next turn continues with the rest. */
const TURN_MS_MAX = 60_000;
/** Pages of one day or of one list. */
const PAGES_MAX = 1_000;
/** Unknown classes per page that raise an alert. */
const UNKNOWN_TOLD_MAX = 5;

export interface SyncParts {
  readonly adminKeys: Pick<AdminKeyRecords, 'get' | 'secret' | 'pause' | 'turned'>;
  readonly reports: ProviderReportStore;
  readonly ask: AskProvider;
  readonly clock: Clock;
  readonly log: Log;
  readonly raise: (alert: Alert) => Promise<void>;
}

/** Report source of a connection and the URL it is read from. */
export interface ReportEndpoint {
  readonly source: ReportSource;
  readonly url: string;
  /** Display name, for example `Anthropic`. */
  readonly name: string;
}

/**
 * One sync turn of one connection: reads due reports, newest days first, until nothing is left, the provider asks to
 * wait, or the turn has lasted long enough. Each page is stored together with the token of the next one, so that no page
 * is requested twice after a crash.
 */
export class SyncTurn {
  readonly #parts: SyncParts;
  readonly #key: AdminKey;
  readonly #endpoint: ReportEndpoint;
  readonly #signal: AbortSignal;
  readonly #wanted: Set<string>;
  readonly #skipped = new Set<string>();
  #headers: Record<string, string> = {};
  #states: ReportStates = new Map();
  #pages = 0;
  /** First failure of a report. The other reports continue. */
  #failure: RequestFailure | null = null;

  /** @param all reads every report, even if it is not due */
  constructor(parts: SyncParts, key: AdminKey, endpoint: ReportEndpoint, signal: AbortSignal, all: boolean) {
    this.#parts = parts;
    this.#key = key;
    this.#endpoint = endpoint;
    this.#signal = signal;
    this.#wanted = new Set(all ? endpoint.source.reports.map(({ id }) => id) : []);
  }

  async run(): Promise<void> {
    const { adminKeys, clock, reports } = this.#parts;
    const began = clock();
    try {
      if (!(await this.#isOn())) return;
      const key = await adminKeys.secret(this.#key.id).catch(throwUnopened);
      this.#headers = this.#endpoint.source.headers(key);
      let isOver = false;
      while (!isOver && !this.#signal.aborted && clock() - began < TURN_MS_MAX && clock() >= began) {
        if (!(await this.#isOn())) return;
        this.#states = await reports.states(this.#key.id);
        isOver = !(await this.#step());
      }
      if (this.#signal.aborted) return;
      await this.#ended(isOver);
    } catch (error) {
      if (!(error instanceof TurnEnded)) throw error;
      if (!this.#signal.aborted) await this.#failed(error.failure);
    }
  }

  /** Returns false if the connection was paused or removed in the meantime. */
  async #isOn(): Promise<boolean> {
    const { id, workspaceId } = this.#key;
    try {
      return (await this.#parts.adminKeys.get(workspaceId, id)).pausedAt === null;
    } catch (error) {
      ignoreGone(error);
      return false;
    }
  }

  /** Returns false if nothing is left to do now. */
  async #step(): Promise<boolean> {
    const { source } = this.#endpoint;
    const asked = { source, states: this.#states, wanted: this.#wanted, skipped: this.#skipped };
    const step = nextStep({ ...asked, now: this.#parts.clock() });
    if (!step) return false;
    try {
      if (step.kind === 'names') await this.#names(step);
      else if (step.kind === 'refresh') await this.#refresh(step);
      else await this.#backfill(step);
      this.#wanted.delete(step.report.id);
    } catch (error) {
      const failure = reportFailure(error);
      this.#skipped.add(step.report.id);
      this.#failure ??= failure;
      this.#parts.log.warn({ adminKey: this.#key.id, report: step.report.id }, this.#sentence(failure));
    }
    return true;
  }

  async #names({ report, state }: Extract<SyncStep, { kind: 'names' }>): Promise<void> {
    const known = await this.#parts.reports.names(this.#key.id);
    const projects = known.flatMap(({ kind, id, status }) => (kind === 'project' && status !== 'archived' ? [id] : []));
    projects.sort();
    let at = state;
    for (let pages = 0; pages < PAGES_MAX; pages += 1) {
      const page = at.cursor?.page ?? null;
      const request = report.request(page, projects);
      // The list of projects failed just now, so lists by project wait for it.
      if (request === null && this.#skipped.size > 0) return void this.#skipped.add(report.id);
      const body = request && (await this.#asked(request, page !== null, at, report.id).catch(emptyWhereMissing));
      const read = body === null ? { names: [], next: null } : report.read(body, page, projects);
      if (read.next !== null && read.next === page) throw new MalformedReport('a page names itself as the next page');
      const cursor = read.next === null ? null : { start: 0, end: 0, page: read.next };
      const readAt = cursor === null ? this.#parts.clock() : at.readAt;
      at = await this.#keep(report.id, {
        names: read.names,
        days: [],
        goesOn: false,
        state: { ...at, cursor, readAt },
      });
      if (cursor === null) return;
    }
    throw new MalformedReport('the list has too many pages');
  }

  async #refresh({ report, state, from }: Extract<SyncStep, { kind: 'refresh' }>): Promise<void> {
    const tomorrow = startOfTomorrow(this.#parts.clock());
    let at = state;
    for (let start = from; start < tomorrow;) {
      const end = Math.min(tomorrow, start + report.windowDays * DAY_MS);
      const days = await this.#window(report, { start, end }, at);
      const isLast = end === tomorrow;
      const doneTo = isLast ? tomorrow : Math.max(at.doneTo, end);
      const readAt = isLast ? this.#parts.clock() : at.readAt;
      at = await this.#keep(report.id, { names: [], days, goesOn: false, state: { ...at, doneTo, readAt } });
      start = end;
    }
  }

  /** Reads all pages of a window of few days, which replace the stored days together. */
  async #window(report: DatedReport, window: DayWindow, state: ReportState): Promise<DaysPage['days']> {
    const days: DaysPage['days'][number][] = [];
    let next: string | null = null;
    let start = window.start;
    for (let pages = 0; pages < PAGES_MAX; pages += 1) {
      const page: DaysPage = await this.#page(report, { start, end: window.end }, window, next, state);
      days.push(...page.days);
      if (page.next === null) return report.splitsDays ? joinDays(days) : days;
      next = page.next;
      if (!report.splitsDays) start = (page.days.at(-1)?.day ?? start) + DAY_MS;
    }
    throw new MalformedReport('the days have too many pages');
  }

  async #backfill({ report, state, window, page }: Extract<SyncStep, { kind: 'backfill' }>): Promise<void> {
    const asked = { start: Math.max(state.goal, state.doneFrom - report.windowDays * DAY_MS), end: state.doneFrom };
    const { days, next } = await this.#page(report, window, asked, page, state);
    const goesOn = report.splitsDays && page !== null;
    const start = report.splitsDays ? window.start : (days.at(-1)?.day ?? window.start) + DAY_MS;
    const cursor = next === null ? null : { start, end: asked.end, page: next };
    const doneFrom = next === null ? asked.start : state.doneFrom;
    await this.#keep(report.id, { names: [], days, goesOn, state: { ...state, cursor, doneFrom } });
    if (next === null) await this.#reportProgress(report, asked);
  }

  /** Reads one page of the window `asked`. The days from `rest.start` on are still missing. */
  async #page(
    report: DatedReport,
    missing: DayWindow,
    asked: DayWindow,
    page: string | null,
    state: ReportState,
  ): Promise<DaysPage> {
    const request = report.request({ start: asked.start, end: asked.end }, page);
    const read = report.read(await this.#asked(request, page !== null, state, report.id), asked);
    if (read.next !== null && read.next === page) throw new MalformedReport('a page names itself as the next page');
    if (!report.splitsDays) checkDays(read, missing, startOfTomorrow(this.#parts.clock()));
    for (const name of read.unknown.slice(0, UNKNOWN_TOLD_MAX)) await this.#reportUnknown(report.id, name);
    return read;
  }

  /** Returns the body of a response. If the provider no longer knows a page token, the window is read again. */
  async #asked(request: ReportRequest, isFurther: boolean, state: ReportState, report: string): Promise<unknown> {
    const { ask, clock } = this.#parts;
    const { url } = this.#endpoint;
    const answer = await ask({ url, request, headers: this.#headers, signal: this.#signal });
    const outcome = readOutcome(answer, clock());
    if (outcome.kind === 'body') return outcome.body;
    if (outcome.kind !== 'report') throw new TurnEnded(outcome);
    if (isFurther && outcome.status === 400 && state.cursor)
      await this.#keep(report, { names: [], days: [], goesOn: false, state: { ...state, cursor: null } });
    throw new ReportFailed(outcome);
  }

  async #keep(report: string, page: Pick<ReportPage, 'names' | 'days' | 'goesOn' | 'state'>): Promise<ReportState> {
    const { reports, clock } = this.#parts;
    const kept = await reports.keep({ connectionId: this.#key.id, report, readAt: clock(), ...page });
    this.#pages += 1;
    if (!kept) throw new TurnEnded({ kind: 'away', reason: 'another process reads the same report' });
    return { ...page.state, revision: page.state.revision + 1 };
  }

  async #reportProgress({ id }: DatedReport, { start }: DayWindow): Promise<void> {
    const { log, reports } = this.#parts;
    const backfill = backfillProgress(this.#endpoint.source, await reports.states(this.#key.id));
    const from = new Date(start).toISOString().slice(0, 10);
    log.debug({ adminKey: this.#key.id, report: id, from, ...backfill }, 'read days of a report');
  }

  async #reportUnknown(report: string, name: string): Promise<void> {
    await this.#parts.raise(unknownClassAlert(this.#key, this.#endpoint.name, report, name, this.#parts.clock()));
  }

  async #ended(isOver: boolean): Promise<void> {
    const { adminKeys, clock, reports } = this.#parts;
    if (this.#failure) return await this.#failed(this.#failure);
    const now = clock();
    const nextAt = isOver ? nextDue(this.#endpoint.source, await reports.states(this.#key.id), now) : now;
    await adminKeys.turned(this.#key.id, { nextAt, failures: 0, problem: null });
  }

  async #failed(failure: RequestFailure): Promise<void> {
    const { adminKeys, clock, log, raise } = this.#parts;
    const { id, workspaceId } = this.#key;
    const problem = this.#sentence(failure);
    // After some progress the waits start again with the shortest.
    const failures = this.#pages > 0 ? 1 : this.#key.failures + 1;
    const now = clock();
    await adminKeys.turned(id, { nextAt: now + retryWaitMs(failure, failures), failures, problem });
    if (failure.kind !== 'refused') return log.warn({ adminKey: id, failures }, problem);
    // The key may have been replaced in the meantime. The failure says nothing about the new one.
    const known = await adminKeys.get(workspaceId, id).catch(ignoreGone);
    if (known?.fingerprint !== this.#key.fingerprint)
      return await adminKeys.turned(id, { nextAt: now, failures: 0, problem: null });
    await adminKeys.pause(workspaceId, id, problem, 'system').catch(ignoreGone);
    await raise(refusedKeyAlert(this.#key, problem, now));
  }

  #sentence(failure: RequestFailure): string {
    const { name } = this.#endpoint;
    if (failure.kind === 'refused') return `${name} refused the admin key: ${failure.reason}.`;
    if (failure.kind === 'slower') return `${name} limits the rate of requests.`;
    if (failure.kind === 'away') return `${name} could not be reached: ${failure.reason}.`;
    return `${name} returned an unusable report: ${failure.reason}.`;
  }
}

/** Ends the turn. */
class TurnEnded extends Error {
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
  if (error instanceof ReportFailed && error.failure.kind === 'report' && error.failure.status === 404)
    return { data: [], has_more: false };
  throw error;
}

function reportFailure(error: unknown): RequestFailure {
  if (error instanceof ReportFailed) return error.failure;
  if (error instanceof MalformedReport) return { kind: 'report', reason: error.message };
  throw error;
}

function throwUnopened(error: unknown): never {
  if (error instanceof TollbookError && error.type === 'internal')
    throw new TurnEnded({
      kind: 'refused',
      reason: 'its stored secret was changed outside Tollbook and cannot be decrypted',
    });
  throw error;
}

function ignoreGone(error: unknown): undefined {
  if (!(error instanceof TollbookError && error.type === 'not_found')) throw error;
}
