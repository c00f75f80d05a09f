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

export function numberOf(facts: ClaudeFacts, place: number, which: number): number {
  return facts.numbers[place * WIDTH + which] ?? 0;
}

/** Input, output, cache reads and writes. */
function tokensOf(facts: ClaudeFacts, place: number): number {
  let sum = 0;
  for (let which = INPUT; which <= WRITE_1H; which++) sum += numberOf(facts, place, which);
  return sum;
}

function modelOf(facts: ClaudeFacts, place: number): string {
  return facts.names[numberOf(facts, place, MODEL)] ?? '';
}

/**
 * Below 0: copy `a` tells more of the call than `b`. The one with more output is the later one, then the one with more in
 * all; after that whatever differs decides, so that the order in which copies are seen never does.
 */
export function byCompleteness(a: ClaudeFacts, aPlace: number, b: ClaudeFacts, bPlace: number): number {
  const byOutput =
    numberOf(b, bPlace, OUTPUT) - numberOf(a, aPlace, OUTPUT) || tokensOf(b, bPlace) - tokensOf(a, aPlace);
  if (byOutput !== 0) return byOutput;
  for (const which of COUNTS) {
    const difference = numberOf(b, bPlace, which) - numberOf(a, aPlace, which);
    if (difference !== 0) return difference;
  }
  return (
    compareTexts(moreText(b, bPlace), moreText(a, aPlace)) ||
    compareTexts(modelOf(a, aPlace), modelOf(b, bPlace)) ||
    compareTexts(termsText(a, aPlace), termsText(b, bPlace))
  );
}

export function earliest(a: number | null, b: number | null): number | null {
  return a === null || (b !== null && b < a) ? b : a;
}

export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function moreText({ more }: ClaudeFacts, place: number): string {
  return more[place] === undefined ? '' : JSON.stringify(more[place]);
}

function termsText(facts: ClaudeFacts, place: number): string {
  return (facts.terms[numberOf(facts, place, TERMS)] ?? NO_TERMS).join(' ');
}
