import { backtest } from '../../src/domain/anomaly/detect.ts';
import type { Episode } from '../../src/domain/anomaly/episodes.ts';
import type { DetectionSensitivity } from '../../src/domain/anomaly/series.ts';
import type { Scenario, Truth } from './scenarios.ts';
import { HOUR_MS } from '../../src/domain/time/units.ts';

/** An alert belongs to an incident until so long after its end. */
const SLACK_HOURS = 24;
/** The first days are history only. */
const HISTORY_DAYS = 35;
const MINIMUM_NANO = 1_000_000_000;

export interface Score {
  readonly incidents: number;
  readonly found: number;
  /** Hours from the start of an incident until the end of the hour that told it. */
  readonly delays: readonly number[];
  /** Alerts that belong to incidents, and those that belong to none. */
  readonly alerts: number;
  readonly falseAlerts: readonly Pick<Episode, 'key' | 'opening'>[];
  readonly weeks: number;
}

export function scoreOf(scenario: Scenario, seed: number, sensitivity: DetectionSensitivity): Score {
  const { series, timeZone, start, days, truths } = scenario.make(seed);
  const [from, to] = [start + HISTORY_DAYS * 24 * HOUR_MS, start + days * 24 * HOUR_MS];
  const settings = { sensitivity, minExcessNano: MINIMUM_NANO };
  const episodes = backtest({ series, timeZone, since: start, now: to, settings }, from, to);
  const alerts = episodes.flatMap(({ alertedAt: tellings, ...rest }) => tellings.map((at) => ({ at, ...rest })));
  const asked = truths.filter(({ optional }) => !optional);
  const delays = asked.flatMap((truth) => {
    const hits = alerts.filter(({ at, type }) => belongs(at, truth) && truth.types.includes(type));
    return hits.length === 0 ? [] : [(Math.min(...hits.map(({ at }) => at)) - truth.from) / HOUR_MS + 1];
  });
  const isTrue = ({ at }: { readonly at: number }): boolean => truths.some((truth) => belongs(at, truth));
  return {
    incidents: asked.length,
    found: delays.length,
    delays,
    alerts: alerts.filter((alert) => isTrue(alert) && asked.length > 0).length,
    falseAlerts: alerts.filter((alert) => !isTrue(alert)),
    weeks: (to - from) / HOUR_MS / 168,
  };
}

function belongs(at: number, { from, to }: Truth): boolean {
  return at >= from && at < to + SLACK_HOURS * HOUR_MS;
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
