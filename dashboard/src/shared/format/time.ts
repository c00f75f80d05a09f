export type TimeStep = 'hour' | 'day' | 'week' | 'month';

type TimeInput = string | number;

function format(instant: TimeInput, options: Intl.DateTimeFormatOptions): string {
  const text = new Intl.DateTimeFormat('en-GB', { hourCycle: 'h23', ...options }).format(new Date(instant));
  // British English has one month of four letters.
  return text.replace('Sept', 'Sep');
}

/** Formats a time in a zone: `21 Nov 2026, 14:03:07`. */
export function formatTime(instant: TimeInput, zone: string): string {
  return format(instant, {
    timeZone: zone,
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
}

/** Formats a day in a zone: `21 Nov 2026`. */
export function formatDay(instant: TimeInput, zone: string): string {
  return format(instant, { timeZone: zone, day: 'numeric', month: 'short', year: 'numeric' });
}

/** Formats a time in UTC with milliseconds, for titles. */
export function exactTime(instant: TimeInput): string {
  return new Date(instant).toISOString();
}

const STEP_OPTIONS: Readonly<Record<TimeStep, Intl.DateTimeFormatOptions>> = {
  hour: { weekday: 'short', hour: '2-digit', minute: '2-digit' },
  day: { day: 'numeric', month: 'short' },
  week: { day: 'numeric', month: 'short' },
  month: { month: 'short', year: 'numeric' },
};

/** Formats the label of a bar in a chart. */
export function formatStep(instant: TimeInput, step: TimeStep, zone: string): string {
  return format(instant, { timeZone: zone, ...STEP_OPTIONS[step] });
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** Formats a relative time: `3 minutes ago`, `in 2 hours`. */
export function formatAgo(instant: TimeInput, now: number): string {
  const seconds = Math.round((new Date(instant).getTime() - now) / 1_000);
  const [unit, size] = UNITS.find(([, each]) => Math.abs(seconds) >= each) ?? ['second', 1];
  return relative.format(Math.trunc(seconds / size), unit);
}

/** Formats milliseconds: `87 ms`, `1.24 s`, `3 min 20 s`. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)} s`;
  const minutes = Math.floor(ms / 60_000);
  const seconds = Math.round((ms % 60_000) / 1_000);
  return seconds === 0 ? `${minutes} min` : `${minutes} min ${seconds} s`;
}
