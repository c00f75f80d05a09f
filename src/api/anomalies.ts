import type { Finding, SeriesVerdict } from '../domain/anomaly/finding.ts';
import { scopeRecord } from '../domain/anomaly/series.ts';
import { findingView } from '../domain/alerts/finding-view.ts';
import { silences } from '../domain/alerts/mute.ts';
import { iso } from '../domain/time/period.ts';
import { keyNames } from './alerts/alert-view.ts';
import { anomalyReport } from '../contract/anomalies.ts';
import { endpoint } from './http/endpoint.ts';
import { withNamedKeys, detectionSettingsView, verdictView } from './anomalies/anomaly-view.ts';

const HOURS_PER_DAY = 24;

export const listAnomalies = endpoint({
  method: 'GET',
  path: '/api/mcp/anomalies',
  summary: 'What is unusual in present spending',
  description:
    'Looked at now, in calls that went through the gate: the whole workspace and its biggest keys, models, providers and tag values, each against its own past. Local sessions are no part of it: they are uploaded when their hours are over. Alerts tell of the same once for each episode.',
  scope: 'usage:read',
  right: 'read',
  answer: anomalyReport,
  async handle({ caller: { workspaceId } }, { clock, detector, records }) {
    const at = clock();
    const { findings, verdicts } = await detector.look(workspaceId, at);
    const mutes = await records.mutes.list(workspaceId);
    const audible = findings.filter(
      ({ type, scope }) => !mutes.some((mute) => silences(mute, { type, scope: scopeRecord(scope) }, at)),
    );
    const names = await keyNames(workspaceId, records);
    return {
      detecting: true,
      message: summarizeAnomalies(audible, findings.length - audible.length, verdicts),
      at: iso(at),
      anomalies: audible.map((finding) => withNamedKeys(findingView(finding), names)),
      muted: findings.length - audible.length,
      settings: detectionSettingsView(await records.detection.settings(workspaceId)),
      series: verdicts.map((verdict) => verdictView(verdict, names)),
    };
  },
});

function summarizeAnomalies(findings: readonly Finding[], muted: number, verdicts: readonly SeriesVerdict[]): string {
  const seen = verdicts.length;
  const judged = verdicts.filter(({ verdict }) => verdict !== 'not_enough_history').length;
  const hidden = muted === 0 ? '' : ` ${countInWords(muted, 'anomaly is', 'anomalies are')} muted and left out.`;
  if (findings.length > 0) return `${countInWords(findings.length, 'anomaly', 'anomalies')} at present.${hidden}`;
  if (judged === 0) return `${notEnoughHistory(verdicts)}${hidden}`;
  const young = seen - judged;
  const rest = young === 0 ? '' : ` Of ${young} more there is not enough history to say.`;
  return `Nothing unusual: ${countInWords(judged, 'series behaves', 'series behave')} as before.${rest}${hidden}`;
}

function notEnoughHistory(verdicts: readonly SeriesVerdict[]): string {
  const [whole] = verdicts;
  const hours = Math.max(0, ...verdicts.map((verdict) => verdict.hours));
  if (!whole || hours === 0)
    return verdicts.length > 1
      ? 'Not enough history: usage began within this hour.'
      : 'Nothing can be said yet: no call has been made through the gate.';
  const needed = Math.ceil(whole.hoursNeeded / HOURS_PER_DAY);
  return `Not enough history: usage began ${countInWords(hours, 'hour', 'hours')} ago, and what is usual shows after ${countInWords(needed, 'day', 'days')}.`;
}

function countInWords(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`;
}
