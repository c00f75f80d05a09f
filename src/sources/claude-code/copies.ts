import {
  AT,
  CACHE_READ,
  type ClaudeFacts,
  type Copy,
  ENDED,
  FORKED,
  INPUT,
  MARKS,
  MODEL,
  MORE,
  OUTPUT,
  PROGRESS,
  SIDECHAIN,
  TERMS,
  THINKING,
  UNBILLED,
  WRITE_1H,
  WRITE_5M,
} from './facts.ts';

/** The texts that a copy refers to. */
export type Texts = Pick<ClaudeFacts, 'names' | 'terms'>;

const COUNTS = [OUTPUT, INPUT, CACHE_READ, WRITE_1H, WRITE_5M, THINKING] as const;
const EVERY_ROW = SIDECHAIN | PROGRESS | FORKED;
const NO_TERMS = [null, null, null];

/**
 * Below 0: `a` tells more of the call than `b`. The one with more output is the later one, then the one with more in
 * all; after that whatever differs decides, so that the order in which copies are seen never does.
 */
export function byCompleteness(a: Copy, aTexts: Texts, b: Copy, bTexts: Texts): number {
  const byOutput = b[OUTPUT] - a[OUTPUT] || tokensOf(b) - tokensOf(a);
  if (byOutput !== 0) return byOutput;
  for (const place of COUNTS) if (a[place] !== b[place]) return b[place] - a[place];
  if (a[MORE] !== undefined || b[MORE] !== undefined) {
    const byMore = compareTexts(JSON.stringify(b[MORE] ?? null), JSON.stringify(a[MORE] ?? null));
    if (byMore !== 0) return byMore;
  }
  if (aTexts === bTexts && a[MODEL] === b[MODEL] && a[TERMS] === b[TERMS]) return 0;
  return (
    compareTexts(modelOf(a, aTexts), modelOf(b, bTexts)) || compareTexts(termsText(a, aTexts), termsText(b, bTexts))
  );
}

/** Two copies of one call within one file, as one. */
export function joined(a: Copy, b: Copy, texts: Texts): Copy {
  const [best, other] = byCompleteness(a, texts, b, texts) <= 0 ? [a, b] : [b, a];
  const at = earliest(best[AT], other[AT]);
  const marks = (a[MARKS] & b[MARKS] & EVERY_ROW) | ((a[MARKS] | b[MARKS]) & ENDED) | (best[MARKS] & UNBILLED);
  if (at === best[AT] && marks === best[MARKS]) return best;
  const copy: [...Copy] = [...best];
  copy[AT] = at;
  copy[MARKS] = marks;
  return copy;
}

export function earliest(a: number | null, b: number | null): number | null {
  return a === null || (b !== null && b < a) ? b : a;
}

export function modelOf(copy: Copy, { names }: Texts): string {
  return names[copy[MODEL]] ?? '';
}

/** Input, output, cache reads and writes. */
export function tokensOf(copy: Copy): number {
  return copy[INPUT] + copy[OUTPUT] + copy[CACHE_READ] + copy[WRITE_5M] + copy[WRITE_1H];
}

export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function termsText(copy: Copy, { terms }: Texts): string {
  return (terms[copy[TERMS]] ?? NO_TERMS).join(' ');
}
