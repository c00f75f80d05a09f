import { type AnomalyReportShape, type AnomalyShape, anomalyReport } from '../contract/anomalies.ts';
import { cell, page, ROWS_MAX, table } from './render.ts';
import { defineTool } from './tool.ts';
import { formatCount } from '../domain/text/counts.ts';
import { formatDateTime } from '../domain/text/dates.ts';
import { formatDollars } from '../domain/text/money.ts';
import { formatPercent } from '../domain/text/percent.ts';

export const detectAnomalies = defineTool({
  name: 'svc_detect_anomalies',
  title: 'Anomalies in spending',
  description:
    'Finds unusual spending now, compared with the past: cost spikes, more calls or more expensive models than normal, activity at unusual hours, new spenders, errors; for the whole workspace and its largest keys, models, providers and tag values. Each result says what changed, by how much and compared with what. A series with the verdict not_enough_history cannot be judged yet: do not conclude that it is normal. For earlier incidents see svc_list_alerts.',
  input: {},
  output: anomalyReport,
  hints: { readOnly: true, idempotent: true, zone: 'workspace' },
  needsFiles: false,
  run: (_, { client, signal }) => client.call('GET /api/mcp/anomalies', { signal }),
  markdown: (report, timeZone) =>
    page(
      cell(report.message),
      ...report.anomalies.map((anomaly) => section(anomaly, timeZone)),
      youngNote(report),
      `Checked at ${formatDateTime(report.at, timeZone)} (${timeZone}); sensitivity ${report.settings.sensitivity}, at least ${formatDollars(report.settings.minExcessUsd)} above normal.`,
    ),
});

function section({ severity, title, message, period, evidence }: AnomalyShape, timeZone: string): string {
  const { unit, movers } = evidence;
  return page(
    `## ${cell(title)} (${severity})`,
    cell(message),
    `${formatDateTime(period.start, timeZone)} to ${formatDateTime(period.end, timeZone)}`,
    table(
      ['Contributed by', '>Value', '>Normal', '>Share', 'New'],
      movers.map(({ name, value, baseline, share, isNew }) => [
        name,
        unit === 'usd' ? formatDollars(value) : formatCount(value),
        unit === 'usd' ? formatDollars(baseline) : formatCount(baseline),
        formatPercent(share),
        isNew ? 'yes' : '',
      ]),
    ),
  );
}

function youngNote({ series }: AnomalyReportShape): string {
  const young = series.filter(({ verdict }) => verdict === 'not_enough_history').map(({ name }) => cell(name));
  if (young.length === 0) return '';
  const more = young.length > ROWS_MAX ? ` and ${young.length - ROWS_MAX} more` : '';
  return `Not enough history to judge: ${young.slice(0, ROWS_MAX).join(', ')}${more}.`;
}
