import type { AnomalyReportShape, AnomalyShape, BacktestShape } from '../contract/anomalies.ts';
import type { TextLayout } from './cli.ts';
import { plainText, tableWithNotes } from './table.ts';
import { textLines } from './text-lines.ts';
import { HOUR_MS } from '../domain/time/units.ts';

/** Series that can't be judged yet are counted beyond so many. */
const YOUNG_MAX = 10;

export function renderAnomalies({ message, anomalies, series }: AnomalyReportShape): string {
  const parts = [...textLines(message), ...anomalies.flatMap((anomaly) => ['', ...paragraph(anomaly)])];
  const young = series.filter(({ verdict }) => verdict === 'not_enough_history').map(({ name }) => name);
  if (young.length > 0) {
    const more = young.length > YOUNG_MAX ? ` and ${young.length - YOUNG_MAX} more` : '';
    parts.push('', ...textLines(`Not enough history to judge: ${young.slice(0, YOUNG_MAX).join(', ')}${more}.`));
  }
  return parts.map(plainText).join('\n');
}

function paragraph({ severity, title, message }: AnomalyShape): string[] {
  return [...textLines(`${severity.toUpperCase()}  ${title}`), ...textLines(message).map((line) => `  ${line}`)];
}

export function renderBacktest({ message, episodes, period, settings }: BacktestShape, { width }: TextLayout): string {
  const time = `${minute(period.start)} to ${minute(period.end)} UTC, sensitivity ${settings.sensitivity}`;
  if (episodes.length === 0) return [time, ...textLines(message)].join('\n');
  const rows = episodes.map(({ openedAt, lastAt, severity, opening }) => ({
    cells: [minute(openedAt), lasted(openedAt, lastAt), severity, opening.type],
    notes: () => textLines(opening.message),
  }));
  const shown = tableWithNotes(['FROM UTC', 'LASTED', 'SEVERITY', 'TYPE'], rows, width);
  return [time, ...textLines(message), '', shown].join('\n');
}

function minute(time: string): string {
  return time.slice(0, 16).replace('T', ' ');
}

function lasted(from: string, to: string): string {
  return `${Math.max(1, Math.round((Date.parse(to) - Date.parse(from)) / HOUR_MS))} h`;
}
