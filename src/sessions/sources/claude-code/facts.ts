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
