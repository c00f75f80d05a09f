/** Facts of one file. The rows of a call form one copy, which is an index into the lists: they are fast to store and read. */
export interface ClaudeFacts {
  /** Folder of its first call. */
  readonly project: string | null;
  /** Session named in its first row. */
  readonly session: string | null;
  /** Epoch ms of its first row with a time, which in a fork is not copied; null = no row has a time. */
  readonly startedAt: number | null;
  /** Texts to which copies refer by index. */
  readonly names: readonly string[];
  readonly terms: readonly TermsTuple[];
  /** Answer id of each copy. */
  readonly ids: readonly string[];
  /** Request id of each copy; '' = absent. */
  readonly requests: readonly string[];
  /** Epoch ms of the earliest row of each copy; null = no row has a time. */
  readonly times: readonly (number | null)[];
  /** Numbers of each copy, as named below. */
  readonly numbers: readonly number[];
  /** Further usage of a few copies, by index. */
  readonly more: Readonly<Record<number, ExtraUsage>>;
  /** Number of lines that seem to contain usage but could not be read. */
  readonly unreadable: number;
}

export type TermsTuple = readonly [tier: string | null, speed: string | null, geo: string | null];

/** Numbers of a copy. */
export type CopyNumbers = readonly [
  /** Index in `names` of the session in the rows; −1 = the session in the file's name. */
  session: number,
  /** Index in `names`. */
  model: number,
  /** Index in `terms`. */
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
/** Numbers per copy. */
export const WIDTH = 10;

/** All its rows are of a sidechain. */
export const SIDECHAIN = 1;
/** All its rows repeat those of a subagent. */
export const PROGRESS = 2;
/** All its rows are marked as copied at a fork. */
export const FORKED = 4;
/** A row shows more of the answer than its start. */
export const ENDED = 8;
/** The model refused before any output: nothing is billed. */
export const UNBILLED = 16;
/** All its rows name the session that requested it, as rows copied by a fork do. */
export const ASKED = 32;

/** Usage that only a few copies have. */
export interface ExtraUsage {
  readonly searches?: number;
  readonly fetches?: number;
  /** Passes that add up to the counts of the copy, if there are several. */
  readonly passes?: readonly PassCounts[];
  /** There were several passes, but only their sum is known. */
  readonly summed?: true;
  /** Passes not included in the counts: of an advisor, or to compact the conversation. */
  readonly separate?: readonly PassCounts[];
}

export type PassCounts = readonly [
  /** null = model of the call. */
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

/** Returns input, output, cache reads and writes of a copy together. */
function sumCopyTokens(facts: ClaudeFacts, place: number): number {
  let sum = 0;
  for (let which = INPUT; which <= WRITE_1H; which++) sum += copyNumber(facts, place, which);
  return sum;
}

function copyModel(facts: ClaudeFacts, place: number): string {
  return facts.names[copyNumber(facts, place, MODEL)] ?? '';
}

/**
 * Compares two copies; below 0 = `a` is more complete than `b`. More output comes first, then more tokens in total. Then any
 * difference decides, so that the order of the copies never does.
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
