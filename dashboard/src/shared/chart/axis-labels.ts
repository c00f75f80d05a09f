import { formatDate, formatStep, formatTime, isWithinDay } from '../../../../src/domain/text/dates.ts';
import type { PeriodStep } from '../../../../src/domain/time/period.ts';

/** Text under one column of a chart. */
export interface AxisLabel {
  readonly column: number;
  readonly text: string;
}

interface LabeledTime {
  /** Start of each column, ISO 8601. */
  readonly starts: readonly string[];
  readonly step: PeriodStep;
  readonly zone: string;
  /** Epoch milliseconds. */
  readonly now: number;
}

const TODAY = 'Today';

/** Labels at most `labelsMax` columns; the newest day always has one. */
export function axisLabels({ starts, step, zone, now }: LabeledTime, labelsMax: number): readonly AxisLabel[] {
  const today = formatDate(now, zone);
  const dayText = (start: string): string =>
    formatDate(start, zone) === today ? TODAY : formatStep(start, 'day', zone);
  if (!isWithinDay(step)) {
    const labels = starts.map((start, column) => ({
      column,
      text: step === 'day' ? dayText(start) : formatStep(start, step, zone),
    }));
    return thinned(labels, labelsMax, labels.length - 1);
  }
  const days = starts.flatMap((start, column) => {
    const isFirst = column === 0 || formatDate(starts[column - 1] ?? start, zone) !== formatDate(start, zone);
    return isFirst ? [{ column, text: dayText(start) }] : [];
  });
  // Part of a first day has no room for a label beside the next.
  const room = starts.length / Math.max(1, labelsMax);
  const apart = (days[1]?.column ?? room) < room ? days.slice(1) : days;
  if (days.length > 2) return thinned(apart, labelsMax, apart.length - 1);
  const times = starts.map((start, column) => ({ column, text: formatTime(start, zone) }));
  return thinned(times, labelsMax, 0);
}

/** Widest text of a label, in characters. */
export const AXIS_LABEL_CHARACTERS = 8;

/** Keeps every n-th label, with the one at `kept` among them. */
function thinned(labels: readonly AxisLabel[], labelsMax: number, kept: number): readonly AxisLabel[] {
  const every = Math.max(1, Math.ceil(labels.length / Math.max(1, labelsMax)));
  return labels.filter((_, index) => (index - kept) % every === 0);
}

const NO_CENTS = '.00';

/** Writes the amounts of an axis; without cents if none has any. */
export function amountLabels(amounts: readonly number[], format: (amount: number) => string): readonly string[] {
  const labels = amounts.map(format);
  return labels.every((label) => label.endsWith(NO_CENTS))
    ? labels.map((label) => label.slice(0, -NO_CENTS.length))
    : labels;
}
