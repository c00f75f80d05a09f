/** Formats a share: `0%`, `<0.1%`, `4.2%`, `38%`, `>99%`, `100%`. A part is never shown as the whole. */
export function formatPercent(share: number): string {
  const percent = share * 100;
  if (percent === 0) return '0%';
  if (Math.abs(percent) < 0.1) return '<0.1%';
  if (percent >= 99.5 && percent < 100) return '>99%';
  return `${percent.toFixed(Math.abs(percent) < 10 ? 1 : 0).replace(/\.0$/, '')}%`;
}

/** Formats a part of a whole as percent; '' when the whole is 0. */
export function formatPart(part: number, whole: number): string {
  return whole === 0 ? '' : formatPercent(part / whole);
}

/** Changes from this factor on are shown as a factor. */
const MANY_TIMES = 3;

/** Compares an amount with the one before, which is above 0: `12% more than`, `3.1 times as much as`, `the same as`. */
export function describeChange(now: number, before: number): string {
  const factor = now / before;
  if (factor >= MANY_TIMES) return `${factor.toFixed(factor >= 10 ? 0 : 1)} times as much as`;
  const percent = Math.round((factor - 1) * 100);
  if (percent === 0) return 'the same as';
  return `${Math.abs(percent)}% ${percent > 0 ? 'more' : 'less'} than`;
}

/** Larger factors say only that there was next to nothing before. */
const FACTOR_MAX = 10;

/** Compares an amount with the one before: `+12%`, `-4%`, `3.1×`, `>10×`; null when there was nothing before. */
export function formatChange(now: number, before: number): string | null {
  if (before === 0) return null;
  const factor = now / before;
  if (factor > FACTOR_MAX) return `>${FACTOR_MAX}×`;
  if (factor >= MANY_TIMES) return `${factor.toFixed(1).replace(/\.0$/, '')}×`;
  const percent = Math.round((factor - 1) * 100);
  return `${percent > 0 ? '+' : ''}${percent}%`;
}
