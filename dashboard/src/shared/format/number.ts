const grouped = new Intl.NumberFormat('en-US');
const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });

const COMPACT_FROM = 100_000;

/** `1,204` and `1.2M`: whole while it is read at a glance. The exact one belongs into a title. */
export function formatCount(count: number): string {
  return count >= COMPACT_FROM ? compact.format(count) : grouped.format(count);
}

/** `1 call`, `1,204 calls`. */
export function callsText(calls: number): string {
  return `${formatCount(calls)} ${calls === 1 ? 'call' : 'calls'}`;
}

export function exactCount(count: number): string {
  return grouped.format(count);
}

/** Of a share between 0 and 1: `0%`, `<0.1%`, `4.2%`, `38%`. */
export function formatShare(share: number): string {
  const percent = share * 100;
  if (percent === 0) return '0%';
  if (Math.abs(percent) < 0.1) return '<0.1%';
  return `${percent.toFixed(Math.abs(percent) < 10 ? 1 : 0)}%`;
}

/** How one amount stands to another: `+12%`, `-4%`, `3.1×`; null where there was nothing to compare with. */
export function formatChange(now: number, before: number): string | null {
  if (before === 0) return null;
  const factor = now / before;
  if (factor >= 3) return `${factor.toFixed(factor >= 10 ? 0 : 1)}×`;
  const percent = Math.round((factor - 1) * 100);
  return `${percent > 0 ? '+' : ''}${percent}%`;
}
