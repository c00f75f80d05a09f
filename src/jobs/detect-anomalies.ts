import { keepEpisodes } from '../domain/anomaly/episodes.ts';
import { scopeRecord } from '../domain/anomaly/series.ts';
import { silences } from '../domain/alerts/mute.ts';
import type { Detector } from '../detection/detector.ts';
import { alertEpisodes, episodeAlert } from '../detection/episode-alert.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Records } from '../storage/records/records.ts';
import { claimedJob } from './claimed-job.ts';
import { forEachWorkspace, type Job } from './schedule.ts';
import type { StoredAlert } from '../storage/records/alerts.ts';

const NAME = 'detect_anomalies';
const EVERY_MS = 5 * 60_000;

export interface DetectParts {
  readonly detector: Pick<Detector, 'look'>;
  readonly records: Pick<Records, 'workspaces' | 'detection' | 'mutes' | 'jobs'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Id of this process, since several may share a store. */
  readonly runner: string;
  /** Sends stored alerts. */
  readonly onRaised: (alerts: readonly StoredAlert[]) => void;
}

/** Detects anomalies in each workspace: one alert per episode, and its end. */
export function detectAnomaliesJob(parts: DetectParts): Job {
  return claimedJob(parts, {
    name: NAME,
    everyMs: EVERY_MS,
    run: (signal) => forEachWorkspace(parts, NAME, signal, ({ id }) => lookAt(parts, id, signal)),
  });
}

async function lookAt(parts: DetectParts, workspaceId: string, signal: AbortSignal): Promise<void> {
  const { detector, records, clock, onRaised } = parts;
  const now = clock();
  const { findings } = await detector.look(workspaceId, now, signal);
  const mutes = await records.mutes.list(workspaceId);
  // Muted findings open no episode, so that they raise an alert if they continue after the mute.
  const audible = findings.filter(
    ({ type, scope }) => !mutes.some((mute) => silences(mute, { type, scope: scopeRecord(scope) }, now)),
  );
  const known = await records.detection.episodes(workspaceId);
  const { episodes, opened, worsened, reopened, resolved } = keepEpisodes(known, audible, now);
  if (JSON.stringify(episodes) === JSON.stringify(known)) return;
  const step = {
    episodes,
    raise: [...opened, ...worsened].map((episode) => episodeAlert(workspaceId, episode, now)),
    reopen: reopened.flatMap(alertEpisodes),
    resolve: resolved.flatMap(alertEpisodes),
  };
  onRaised(await records.detection.keep(workspaceId, step, now));
}
