import {
  CACHE_READ,
  type ClaudeFacts,
  INPUT,
  MODEL,
  OUTPUT,
  TERMS,
  THINKING,
  WIDTH,
  WRITE_1H,
  WRITE_5M,
} from './facts.ts';

const COUNTS = [OUTPUT, INPUT, CACHE_READ, WRITE_1H, WRITE_5M, THINKING] as const;
const NO_TERMS = [null, null, null];

export function copyNumber(facts: ClaudeFacts, place: number, which: number): number {
  return facts.numbers[place * WIDTH + which] ?? 0;
}

/** Input, output, cache reads and writes. */
function sumCopyTokens(facts: ClaudeFacts, place: number): number {
  let sum = 0;
  for (let which = INPUT; which <= WRITE_1H; which++) sum += copyNumber(facts, place, which);
  return sum;
}

function copyModel(facts: ClaudeFacts, place: number): string {
  return facts.names[copyNumber(facts, place, MODEL)] ?? '';
}

/**
 * Below 0: copy `a` tells more of the call than `b`. The one with more output is the later one, then the one with more in
 * all; after that whatever differs decides, so that the order in which copies are seen never does.
 */
export function byCompleteness(a: ClaudeFacts, aPlace: number, b: ClaudeFacts, bPlace: number): number {
  const byOutput =
    copyNumber(b, bPlace, OUTPUT) - copyNumber(a, aPlace, OUTPUT) ||
    sumCopyTokens(b, bPlace) - sumCopyTokens(a, aPlace);
  if (byOutput !== 0) return byOutput;
  for (const which of COUNTS) {
    const difference = copyNumber(b, bPlace, which) - copyNumber(a, aPlace, which);
    if (difference !== 0) return difference;
  }
  return (
    compareTexts(extraText(b, bPlace), extraText(a, aPlace)) ||
    compareTexts(copyModel(a, aPlace), copyModel(b, bPlace)) ||
    compareTexts(termsText(a, aPlace), termsText(b, bPlace))
  );
}

export function earliest(a: number | null, b: number | null): number | null {
  return a === null || (b !== null && b < a) ? b : a;
}

export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function extraText({ more }: ClaudeFacts, place: number): string {
  return more[place] === undefined ? '' : JSON.stringify(more[place]);
}

function termsText(facts: ClaudeFacts, place: number): string {
  return (facts.terms[copyNumber(facts, place, TERMS)] ?? NO_TERMS).join(' ');
}
