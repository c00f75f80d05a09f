/** What one file says. Rows of one call are one copy; a copy is a place in the lists, which are quick to keep and to read. */
export interface ClaudeFacts {
  /** Folder that its first call was made in. */
  readonly project: string | null;
  /** Session that its first row names. */
  readonly session: string | null;
  /** Epoch ms that its first row with a time tells: a fork begins with one of its own; null = none does. */
  readonly startedAt: number | null;
  /** Texts that copies refer to by their place here. */
  readonly names: readonly string[];
  readonly terms: readonly TermsTuple[];
  /** Of each copy: id of the answer. */
  readonly ids: readonly string[];
  /** Of each copy: id of the request; '' = none is told. */
  readonly requests: readonly string[];
  /** Of each copy: epoch ms of its earliest row; null = none has a time. */
  readonly times: readonly (number | null)[];
  /** Of each copy: the numbers named below. */
  readonly numbers: readonly number[];
  /** Of few copies, by their place. */
  readonly more: Readonly<Record<number, ExtraUsage>>;
  /** Lines that seemed to tell of usage and could not be read. */
  readonly unreadable: number;
}

export type TermsTuple = readonly [tier: string | null, speed: string | null, geo: string | null];

/** A copy's numbers. */
export type CopyNumbers = readonly [
  /** Place in `names` of the session that the rows name; −1 = the one that the file is named after. */
  session: number,
  /** Place in `names`. */
  model: number,
  /** Place in `terms`. */
  terms: number,
  /** Sum of the marks below. */
  marks: number,
  input: number,
  output: number,
  cacheRead: number,
  write5m: number,
  write1h: number,
  thinking: number,
];

export const SESSION = 0;
export const MODEL = 1;
export const TERMS = 2;
export const MARKS = 3;
export const INPUT = 4;
export const OUTPUT = 5;
export const CACHE_READ = 6;
export const WRITE_5M = 7;
export const WRITE_1H = 8;
export const THINKING = 9;
/** So many numbers has each copy. */
export const WIDTH = 10;

/** All its rows are of a sidechain. */
export const SIDECHAIN = 1;
/** All its rows are repetitions of a subagent's. */
export const PROGRESS = 2;
/** All its rows say that they were copied at a fork. */
export const FORKED = 4;
/** A row shows that the answer went on beyond its begin. */
export const ENDED = 8;
/** The model refused before any output: nothing is billed. */
export const UNBILLED = 16;
/** All its rows say which session asked for it: those that a fork copied do. */
export const ASKED = 32;

/** What few copies have. */
export interface ExtraUsage {
  readonly searches?: number;
  readonly fetches?: number;
  /** The passes that the counts above are the sum of, where there are several. */
  readonly passes?: readonly PassCounts[];
  /** There were several passes, but only their sum is sure. */
  readonly summed?: true;
  /** Used beside the counts above: by an advisor, or to compact the conversation. */
  readonly beside?: readonly PassCounts[];
}

export type PassCounts = readonly [
  /** null = the call's own. */
  model: string | null,
  input: number,
  output: number,
  cacheRead: number,
  write5m: number,
  write1h: number,
];

export const NO_FACTS: ClaudeFacts = {
  project: null,
  session: null,
  startedAt: null,
  names: [],
  terms: [],
  ids: [],
  requests: [],
  times: [],
  numbers: [],
  more: {},
  unreadable: 0,
};

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
