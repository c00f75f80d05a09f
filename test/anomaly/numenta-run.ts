import { backtest } from '../../src/domain/anomaly/detect.ts';
import { type DetectionSensitivity, WHOLE_WORKSPACE } from '../../src/domain/anomaly/series.ts';
import { normalScore, probationOf, scoreFile, STANDARD } from './numenta-score.ts';
import { type NumentaSeries, readNumenta } from './numenta.ts';
import { HOUR_MS } from '../../src/domain/time/units.ts';

const WEEK_HOURS = 168;
/** Nano-USD: series are scaled so that a mean day comes to 200 USD. */
const MEAN_HOUR = 200e9 / 24;

interface Row {
  readonly score: number;
  readonly found: number;
  readonly windows: number;
  readonly falseAlerts: number;
  readonly weeks: number;
}

/** Lines of a table: how the detection does on the series of a checkout, tuned half, held-out half and all. */
export function numentaTable(checkout: string, sensitivities: readonly DetectionSensitivity[]): string[] {
  const series = readNumenta(checkout);
  const halves = [
    ['tuned on (every other)', series.filter((_, at) => at % 2 === 0)],
    ['held out', series.filter((_, at) => at % 2 === 1)],
    ['all', series],
  ] as const;
  const lines = [
    '| series | sensitivity | score | windows found | false alerts a week |',
    '| --- | --- | --- | --- | --- |',
  ];
  for (const sensitivity of sensitivities)
    for (const [name, chosen] of halves) {
      const row = sumRows(chosen.map((one) => judge(one, sensitivity)));
      const score = normalScore(row.score, row.windows, STANDARD).toFixed(1);
      const rate = (row.falseAlerts / row.weeks).toFixed(2);
      lines.push(
        `| ${name} (${chosen.length}) | ${sensitivity} | ${score} | ${row.found} of ${row.windows} | ${rate} |`,
      );
    }
  return lines;
}

function judge({ rows, windows, start, hours, lastRows }: NumentaSeries, sensitivity: DetectionSensitivity): Row {
  const factor = MEAN_HOUR / (hours.reduce((sum, value) => sum + value, 0) / hours.length);
  const buckets = hours.map((value, hour) => {
    const cost = Math.max(0, Math.round(value * factor));
    return { hour: start + hour * HOUR_MS, cost, calls: null, failed: null, tokens: null };
  });
  const end = start + hours.length * HOUR_MS;
  const series = [{ scope: WHOLE_WORKSPACE, name: 'the series', hours: buckets }];
  const settings = { sensitivity, minExcessNano: 0 };
  const episodes = backtest({ series, timeZone: 'UTC', now: end, since: start, settings }, start, end);
  const alerts = episodes
    .flatMap(({ alertedAt: tellings }) => tellings)
    .map((at) => lastRows[(at - start) / HOUR_MS] ?? 0)
    .toSorted((a, b) => a - b);
  const isIn = (row: number): boolean => windows.some(({ first, last }) => row >= first && row <= last);
  return {
    score: scoreFile({ rows, windows, alerts }, STANDARD),
    found: windows.filter(({ first, last }) => alerts.some((row) => row >= first && row <= last)).length,
    windows: windows.length,
    falseAlerts: alerts.filter((row) => row >= probationOf(rows) && !isIn(row)).length,
    weeks: lastRows.filter((row) => row >= probationOf(rows)).length / WEEK_HOURS,
  };
}

function sumRows(rows: readonly Row[]): Row {
  const sum = (read: (row: Row) => number): number => rows.reduce((total, row) => total + read(row), 0);
  return {
    score: sum(({ score }) => score),
    found: sum(({ found }) => found),
    windows: sum(({ windows }) => windows),
    falseAlerts: sum(({ falseAlerts }) => falseAlerts),
    weeks: sum(({ weeks }) => weeks),
  };
}
