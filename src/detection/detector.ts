import type { DetectionResult } from '../domain/anomaly/detect.ts';
import type { Episode } from '../domain/anomaly/episodes.ts';
import { LIMITS } from '../config.ts';
import { TollbookError } from '../domain/errors.ts';
import { FairLanes } from '../lib/concurrency/lanes.ts';
import type { Records } from '../storage/records/records.ts';
import { HourlySeries, type HourlyQueries } from './hourly-series.ts';
import { runDetection, runReplay } from './run-detection.ts';
import type { DetectionTask, ReplayRange } from './detection-task.ts';
import { firstHour } from './packed-series.ts';
import { DAY_MS, HOUR_MS } from '../domain/time/units.ts';

/** Sums are compared with 28 days. A longer history shows that a key which was idle for weeks is not new. */
const HISTORY_DAYS = 63;
/** A call is recorded in the hour in which it started, so a past hour changes for as long as calls last. */
const FRESH_MS = LIMITS.callMsMax + 2 * HOUR_MS;
/** Time after which all hours are read again, because corrected prices and late calls change older hours. */
const KEPT_MS = DAY_MS;
/** Series cached for all workspaces, 50 kB each; others are read every time. */
const SERIES_KEPT_MAX = 2_000;
/** One detection and one replay at a time: together they would not be faster. */
const TURNS = { totalMax: 2, perNameMax: 1, waitingMax: 20 };

export interface DetectorParts {
  readonly reports: HourlyQueries;
  readonly records: {
    readonly workspaces: Pick<Records['workspaces'], 'get'>;
    readonly detection: Pick<Records['detection'], 'settings'>;
  };
}

interface ReplayResult {
  readonly episodes: readonly Episode[];
  /** The first hour with usage, epoch ms; null = none. */
  readonly first: number | null;
}

interface CachedSeries {
  readonly hourly: HourlySeries;
  readonly readAllAt: number;
  /** Hours before this are final. */
  closedUntil: number;
}

/** Detects anomalies in a workspace's hours. Past hours are cached, so that a run reads only the newest. */
export class Detector {
  readonly #parts: DetectorParts;
  /** In order of last use. */
  readonly #kept = new Map<string, CachedSeries>();
  readonly #lanes = new FairLanes(TURNS);

  constructor(parts: DetectorParts) {
    this.#parts = parts;
  }

  /** Returns anomalies at `now`. Throws when `signal` aborts. */
  look(workspaceId: string, now: number, signal?: AbortSignal): Promise<DetectionResult> {
    return this.#inTurn('look', async () => {
      const { hourly } = await this.#refresh(workspaceId, now, signal);
      return await runDetection(await this.#order(workspaceId, hourly, now));
    });
  }

  /** Returns the episodes that would have been reported between two times, with the data known at each. */
  replay(workspaceId: string, replay: ReplayRange): Promise<ReplayResult> {
    return this.#inTurn('replay', async () => {
      const range = { start: wholeHour(replay.from) - HISTORY_DAYS * DAY_MS, end: wholeHour(replay.to + HOUR_MS - 1) };
      const hourly = new HourlySeries(this.#parts.reports, workspaceId, range);
      await hourly.readAll(range.end);
      const order = await this.#order(workspaceId, hourly, replay.to);
      const starts = order.series.map((one) => firstHour(one, range.start)).filter((hour) => hour !== null);
      const first = starts.length === 0 ? null : Math.min(...starts);
      return { episodes: await runReplay(order, replay), first };
    });
  }

  async #order(workspaceId: string, { series, range }: HourlySeries, now: number): Promise<DetectionTask> {
    const { workspaces, detection } = this.#parts.records;
    const { timeZone } = await workspaces.get(workspaceId);
    const settings = await detection.settings(workspaceId);
    return { series: [...series.values()], since: range.start, now, timeZone, settings };
  }

  async #inTurn<Result>(what: 'look' | 'replay', work: () => Promise<Result>): Promise<Result> {
    if ((await this.#lanes.enter(what)) !== 'go')
      throw new TollbookError('unavailable', 'Too many concurrent requests for anomalies. Try again in a moment.');
    try {
      return await work();
    } finally {
      this.#lanes.leave(what);
    }
  }

  async #refresh(workspaceId: string, now: number, signal?: AbortSignal): Promise<CachedSeries> {
    const end = wholeHour(now) + HOUR_MS;
    const known = this.#kept.get(workspaceId);
    this.#kept.delete(workspaceId);
    const isCurrent = known && now >= known.readAllAt && now - known.readAllAt < KEPT_MS;
    const kept = isCurrent ? known : await this.#readAll(workspaceId, now, signal);
    if (isCurrent) await kept.hourly.read({ start: kept.closedUntil, end }, signal);
    kept.closedUntil = Math.max(kept.hourly.range.start, end - HOUR_MS - FRESH_MS);
    this.#kept.set(workspaceId, kept);
    this.#makeRoom(workspaceId);
    return kept;
  }

  async #readAll(workspaceId: string, now: number, signal?: AbortSignal): Promise<CachedSeries> {
    const end = wholeHour(now) + HOUR_MS;
    const range = { start: end - HISTORY_DAYS * DAY_MS, end: end + KEPT_MS + HOUR_MS };
    const hourly = new HourlySeries(this.#parts.reports, workspaceId, range);
    await hourly.readAll(end, signal);
    return { hourly, readAllAt: now, closedUntil: range.start };
  }

  #makeRoom(current: string): void {
    let series = [...this.#kept.values()].reduce((sum, { hourly }) => sum + hourly.series.size, 0);
    for (const [workspaceId, { hourly }] of this.#kept) {
      if (series <= SERIES_KEPT_MAX || workspaceId === current) return;
      this.#kept.delete(workspaceId);
      series -= hourly.series.size;
    }
  }
}

function wholeHour(at: number): number {
  return Math.floor(at / HOUR_MS) * HOUR_MS;
}
