import { BACKTEST_DAYS_MAX } from '../contract/routes/alerts.ts';
import type { Finding, SeriesVerdict } from '../domain/anomaly/finding.ts';
import { type DetectSettings, scopeRecord } from '../domain/anomaly/series.ts';
import { backtestSentence, episodeView, findingView } from '../domain/alerts/finding-view.ts';
import { silences } from '../domain/alerts/mute.ts';
import { toIso, readPeriod } from '../domain/time/period.ts';
import { keyNames, withKeyNames } from './alerts.ts';
import {
  type AnomalyReportShape,
  type AnomalyShape,
  type BacktestShape,
  type DetectionSettingsShape,
  type ManagedDetectionSettings,
} from '../contract/anomalies.ts';
import { endpoint } from './http/endpoint.ts';
import { withEtag } from './http/if-match.ts';
import { readUsd, usdFromNano } from '../domain/money/money.ts';
import { TollbookError } from '../domain/errors.ts';
import { DAY_MS } from '../domain/time/units.ts';
import type { Clock } from '../lib/clock.ts';
import type { Records } from '../storage/records/records.ts';
import type { DetectionResult } from '../domain/anomaly/detect.ts';
import type { Episode } from '../domain/anomaly/episodes.ts';

/** Detects anomalies; provided by the ledger thread. Times are epoch ms. */
interface AnomalyDetector {
  /** Detects current anomalies. */
  look(workspaceId: string, now: number): Promise<DetectionResult>;
  /**
   * Detects anomalies of a past period with the knowledge of its time. `first`: the first hour with usage that was
   * checked; null = none.
   */
  replay(
    workspaceId: string,
    time: { readonly from: number; readonly to: number },
  ): Promise<{ readonly episodes: readonly Episode[]; readonly first: number | null }>;
}

export interface AnomalyServices {
  readonly clock: Clock;
  readonly records: Records;
  readonly detector: AnomalyDetector;
}

/** Names of keys by id. */
type KeyNames = ReadonlyMap<string, string>;

function withNamedKeys(anomaly: AnomalyShape, names: KeyNames): AnomalyShape {
  const { title, message, evidence } = anomaly;
  const movers = evidence.movers.map((mover) => ({ ...mover, name: withKeyNames(mover.name, names) }));
  return {
    ...anomaly,
    title: withKeyNames(title, names),
    message: withKeyNames(message, names),
    evidence: { ...evidence, movers },
  };
}

function verdictView(verdict: SeriesVerdict, names: KeyNames): AnomalyReportShape['series'][number] {
  const { scope, name, ...rest } = verdict;
  return { kind: scope.kind, scope: { ...scopeRecord(scope) }, name: withKeyNames(name, names), ...rest };
}

function detectionSettingsView({ sensitivity, minExcessNano }: DetectSettings): DetectionSettingsShape {
  return { sensitivity, minExcessUsd: usdFromNano(minExcessNano) };
}

const HOURS_PER_DAY = 24;

export const listAnomalies = endpoint(
  'GET /api/mcp/anomalies',
  async ({ caller: { workspaceId } }, { clock, detector, records }: AnomalyServices) => {
    const at = clock();
    const { findings, verdicts } = await detector.look(workspaceId, at);
    const mutes = await records.mutes.list(workspaceId);
    const audible = findings.filter(
      ({ type, scope }) => !mutes.some((mute) => silences(mute, { type, scope: scopeRecord(scope) }, at)),
    );
    const names = await keyNames(workspaceId, records);
    return {
      enabled: true,
      message: summarizeAnomalies(audible, findings.length - audible.length, verdicts),
      at: toIso(at),
      anomalies: audible.map((finding) => withNamedKeys(findingView(finding), names)),
      muted: findings.length - audible.length,
      settings: detectionSettingsView(await records.detection.settings(workspaceId)),
      series: verdicts.map((verdict) => verdictView(verdict, names)),
    };
  },
);

function summarizeAnomalies(findings: readonly Finding[], muted: number, verdicts: readonly SeriesVerdict[]): string {
  const seen = verdicts.length;
  const judged = verdicts.filter(({ verdict }) => verdict !== 'not_enough_history').length;
  const hidden = muted === 0 ? '' : ` ${countInWords(muted, 'anomaly is', 'anomalies are')} muted and left out.`;
  if (findings.length > 0) return `${countInWords(findings.length, 'anomaly', 'anomalies')} at present.${hidden}`;
  if (judged === 0) return `${notEnoughHistory(verdicts)}${hidden}`;
  const young = seen - judged;
  const rest = young === 0 ? '' : ` ${countInWords(young, 'series does', 'series do')} not have enough history yet.`;
  return `Nothing unusual: ${countInWords(judged, 'series behaves', 'series behave')} as before.${rest}${hidden}`;
}

function notEnoughHistory(verdicts: readonly SeriesVerdict[]): string {
  const [whole] = verdicts;
  const hours = Math.max(0, ...verdicts.map((verdict) => verdict.hours));
  if (!whole || hours === 0)
    return verdicts.length > 1
      ? 'Not enough history: usage began less than an hour ago.'
      : 'Not enough history: no call has gone through the gateway yet.';
  const needed = Math.ceil(whole.hoursNeeded / HOURS_PER_DAY);
  return `Not enough history: usage began ${countInWords(hours, 'hour', 'hours')} ago; detection needs ${countInWords(needed, 'day', 'days')}.`;
}

function countInWords(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`;
}
/** Most episodes in one answer; a period with more is too noisy to read. */
const EPISODES_MAX = 1_000;

export const backtestAnomalies = endpoint(
  'GET /api/mcp/anomalies/backtest',
  async ({ caller: { workspaceId }, query }, { clock, detector, records }: AnomalyServices) => {
    const now = clock();
    const asked = readPeriod(query.startDate, query.endDate, now);
    const [from, to] = [asked.start, Math.min(asked.end, now)];
    if (to - from > BACKTEST_DAYS_MAX * DAY_MS)
      throw new TollbookError(
        'invalid',
        `A backtest covers at most ${BACKTEST_DAYS_MAX} days. Choose a shorter period.`,
        'startDate',
      );
    const { episodes: found, first } = await detector.replay(workspaceId, { from, to: Math.max(from, to) });
    const names = await keyNames(workspaceId, records);
    const episodes = found.toSorted((a, b) => a.openedAt - b.openedAt).slice(0, EPISODES_MAX);
    return {
      period: { start: toIso(from), end: toIso(Math.max(from, to)) },
      settings: detectionSettingsView(await records.detection.settings(workspaceId)),
      message: backtestSentence(found.length, { start: from, end: Math.max(from, to) }, first),
      episodes: episodes.map((episode) => namedEpisode(episodeView(episode), names)),
    };
  },
);

function namedEpisode(episode: BacktestShape['episodes'][number], names: ReadonlyMap<string, string>) {
  return { ...episode, opening: withNamedKeys(episode.opening, names) };
}

function managedSettingsView(settings: DetectSettings): ManagedDetectionSettings {
  return withEtag(detectionSettingsView(settings));
}

export const getDetection = endpoint('GET /api/manage/detection', async ({ caller }, { records }: AnomalyServices) =>
  managedSettingsView(await records.detection.settings(caller.workspaceId)),
);

export const updateDetection = endpoint(
  'PATCH /api/manage/detection',
  async ({ caller, body, requireMatch }, { records }: AnomalyServices) => {
    const { sensitivity, minExcessUsd } = body;
    const change = {
      ...(sensitivity !== undefined && { sensitivity }),
      ...(minExcessUsd !== undefined && { minExcessNano: readUsd(minExcessUsd, 'minExcessUsd') }),
    };
    const updated = await records.detection.update(caller.workspaceId, change, caller.actor, (now) =>
      requireMatch(managedSettingsView(now)),
    );
    return managedSettingsView(updated);
  },
);
