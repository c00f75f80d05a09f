import { type DetectionContext, historyFrom, oncePerDay, type DetectionSubject } from './bench.ts';
import { DAY_HOURS, dayStart, type HourlyMeasure } from './grid.ts';
import { mean, median } from './robust.ts';

const DAYS_LEAST = 5;
/** Hours lie at most this part as far from the median of their hour of the day as from that of all hours. */
const LEFT_MOST = 0.75;

type DailyRhythm = (bench: DetectionContext, subject: DetectionSubject, day: number) => boolean;

/** Whether the hour of the day says much about what a series spends. Where it doesn't, no hour is unusual for its hour. */
export const costRhythm: DailyRhythm = oncePerDay((bench, subject, day) =>
  followsHours(bench, subject, subject.track.cost, day),
);
export const callsRhythm: DailyRhythm = oncePerDay((bench, subject, day) => {
  const { calls } = subject.track;
  return calls !== null && followsHours(bench, subject, calls, day);
});

function followsHours(
  { grid }: DetectionContext,
  subject: DetectionSubject,
  { values }: HourlyMeasure,
  day: number,
): boolean {
  const [start, end] = [Math.max(subject.track.first, dayStart(grid, historyFrom(subject, day))), dayStart(grid, day)];
  if (end - start < DAYS_LEAST * DAY_HOURS) return false;
  const hours = values.subarray(start, end);
  const byHour = Array.from({ length: DAY_HOURS }, (_, hour) =>
    median(hours.filter((__, i) => i % DAY_HOURS === hour)),
  );
  const middle = median(hours);
  const all = mean(hours.map((value) => Math.abs(value - middle)));
  const left = mean(hours.map((value, i) => Math.abs(value - (byHour[i % DAY_HOURS] ?? 0))));
  return left < LEFT_MOST * all;
}
