import { setImmediate as nextTurn } from 'node:timers/promises';
import { keepEpisodes } from '../core/anomaly/episodes.ts';
import { scopeRecord } from '../core/anomaly/series.ts';
import { silences } from '../core/mute.ts';
import type { Detector } from '../detection/detector.ts';
import { alertKeys, episodeAlert } from '../detection/episode-alert.ts';
import type { Clock } from '../lib/clock.ts';
import type { Records, StoredAlert } from '../storage/records/records.ts';
import { claimed } from './claimed.ts';
import type { Job } from './schedule.ts';

const EVERY_MS = 5 * 60_000;

export interface DetectParts {
  readonly detector: Pick<Detector, 'look'>;
  readonly records: Pick<Records, 'workspaces' | 'detection' | 'mutes' | 'jobs'>;
  readonly clock: Clock;
  /** Of this process, where several share a store. */
  readonly runner: string;
  /** Alerts that were stored and are to be sent. */
  readonly tell: (alerts: readonly StoredAlert[]) => void;
}

/** Looks at each workspace's hours: one alert for each episode, and its end. */
export function detectAnomaliesJob(parts: DetectParts): Job {
  return claimed(parts, {
    name: 'detect_anomalies',
    everyMs: EVERY_MS,
    async run(signal) {
      for (const { id } of await parts.records.workspaces.list()) {
        if (signal.aborted) return;
        await lookAt(parts, id, signal);
        await nextTurn();
      }
    },
  });
}

async function lookAt(parts: DetectParts, workspaceId: string, signal: AbortSignal): Promise<void> {
  const { detector, records, clock, tell } = parts;
  const now = clock();
  const { findings } = await detector.look(workspaceId, now, signal);
  const mutes = await records.mutes.list(workspaceId);
  // What is muted opens no episode, so that it is told when the mute ends and it still goes on.
  const audible = findings.filter(
    ({ type, scope }) => !mutes.some((mute) => silences(mute, { type, scope: scopeRecord(scope) }, now)),
  );
  const known = await records.detection.episodes(workspaceId);
  const { episodes, opened, worsened, reopened, resolved } = keepEpisodes(known, audible, now);
  if (JSON.stringify(episodes) === JSON.stringify(known)) return;
  const step = {
    episodes,
    raise: [...opened, ...worsened].map((episode) => episodeAlert(workspaceId, episode, now)),
    reopen: reopened.flatMap(alertKeys),
    resolve: resolved.flatMap(alertKeys),
  };
  tell(await records.detection.keep(workspaceId, step, now));
}
