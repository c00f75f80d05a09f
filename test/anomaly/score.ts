import { backtest } from '../../src/core/anomaly/anomaly.ts';
import type { Episode } from '../../src/core/anomaly/episodes.ts';
import type { Sensitivity } from '../../src/core/anomaly/series.ts';
import type { Scenario, Truth } from './scenarios.ts';

const HOUR_MS = 3_600_000;
/** An alert belongs to an incident until so long after its end. */
const SLACK_HOURS = 24;
/** The first days are history only. */
export const HISTORY_DAYS = 35;
const MINIMUM_NANO = 1_000_000_000;

export interface Score {
  readonly incidents: number;
  readonly found: number;
  /** Hours from the start of an incident until the end of the hour that told it. */
  readonly delays: readonly number[];
  /** Alerts that belong to incidents, and those that belong to none. */
  readonly alerts: number;
  readonly falseAlerts: readonly Episode[];
  readonly weeks: number;
}

export function scoreOf(scenario: Scenario, seed: number, sensitivity: Sensitivity): Score {
  const { series, timeZone, start, days, truths } = scenario.make(seed);
  const [from, to] = [start + HISTORY_DAYS * 24 * HOUR_MS, start + days * 24 * HOUR_MS];
  const settings = { sensitivity, minimumNano: MINIMUM_NANO };
  const episodes = backtest({ series, timeZone, since: start, now: to, settings }, from, to);
  const mine = (episode: Episode): Truth | undefined => truths.find((truth) => belongs(episode, truth));
  const asked = truths.filter(({ optional }) => !optional);
  const delays = asked.flatMap((truth) => {
    const hits = episodes.filter((episode) => belongs(episode, truth) && truth.types.includes(episode.type));
    return hits.length === 0 ? [] : [(Math.min(...hits.map(({ openedAt }) => openedAt)) - truth.from) / HOUR_MS + 1];
  });
  return {
    incidents: asked.length,
    found: delays.length,
    delays,
    alerts: episodes.filter((episode) => mine(episode)).length,
    falseAlerts: episodes.filter((episode) => !mine(episode)),
    weeks: (to - from) / HOUR_MS / 168,
  };
}

function belongs({ openedAt }: Episode, { from, to }: Truth): boolean {
  return openedAt >= from && openedAt < to + SLACK_HOURS * HOUR_MS;
}

export function sumScores(scores: readonly Score[]): Score {
  const sum = (read: (score: Score) => number): number => scores.reduce((total, score) => total + read(score), 0);
  return {
    incidents: sum(({ incidents }) => incidents),
    found: sum(({ found }) => found),
    delays: scores.flatMap(({ delays }) => delays),
    alerts: sum(({ alerts }) => alerts),
    falseAlerts: scores.flatMap(({ falseAlerts }) => falseAlerts),
    weeks: sum(({ weeks }) => weeks),
  };
}

export function medianOf(values: readonly number[]): number | null {
  const ordered = values.toSorted((a, b) => a - b);
  return ordered[(ordered.length - 1) >> 1] ?? null;
}

