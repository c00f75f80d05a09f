const grouped = new Intl.NumberFormat('en-US');
const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });

/** Growth by this factor is shown as a multiple instead of a percentage. */
const MANY_TIMES = 3;
const COMPACT_FROM = 100_000;

/** Formats a count: `1,204`, `1.2M`. Show the exact one in a title. */
export function formatCount(count: number): string {
  return count >= COMPACT_FROM ? compact.format(count) : grouped.format(count);
}

/** Formats a number of calls: `1 call`, `1,204 calls`. */
export function callsText(calls: number): string {
  return `${formatCount(calls)} ${calls === 1 ? 'call' : 'calls'}`;
}

export function exactCount(count: number): string {
  return grouped.format(count);
}

/** Formats a share between 0 and 1: `0%`, `<0.1%`, `4.2%`, `38%`. */
export function formatShare(share: number): string {
  const percent = share * 100;
  if (percent === 0) return '0%';
  if (Math.abs(percent) < 0.1) return '<0.1%';
  return `${percent.toFixed(Math.abs(percent) < 10 ? 1 : 0)}%`;
}

/**
 * Compares two amounts in words: `12% more than`, `37% less than`, `3.1 times as much as`, `the same as`. @param
 * before more than 0
 */
export function describeChange(now: number, before: number): string {
  const factor = now / before;
  if (factor >= MANY_TIMES) return `${factor.toFixed(factor >= 10 ? 0 : 1)} times as much as`;
  const percent = Math.round((factor - 1) * 100);
  if (percent === 0) return 'the same as';
  return `${Math.abs(percent)}% ${percent > 0 ? 'more' : 'less'} than`;
}

/** Formats a change: `+12%`, `-4%`, `3.1×`; null = nothing to compare with. */
export function formatChange(now: number, before: number): string | null {
  if (before === 0) return null;
  const factor = now / before;
  if (factor >= MANY_TIMES) return `${factor.toFixed(factor >= 10 ? 0 : 1)}×`;
  const percent = Math.round((factor - 1) * 100);
  return `${percent > 0 ? '+' : ''}${percent}%`;
}
