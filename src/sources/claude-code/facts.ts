/** What one file says. Rows of one call are one copy. */
export interface ClaudeFacts {
  /** Folder that its first call was made in. */
  readonly project: string | null;
  /** Session that its first row names. */
  readonly session: string | null;
  /** Texts that copies refer to by their place here. */
  readonly names: readonly string[];
  readonly terms: readonly Terms[];
  readonly copies: readonly Copy[];
  /** Lines that seemed to tell of usage and could not be read. */
  readonly unreadable: number;
}

export type Terms = readonly [tier: string | null, speed: string | null, geo: string | null];

/** One call as one file tells of it. A list, for there are tens of thousands, and they are read at every start. */
export type Copy = readonly [
  id: string,
  requestId: string | null,
  /** Place in `names` of the session that the rows name; −1 = the one that the file is named after. */
  session: number,
  /** Place in `names`. */
  model: number,
  /** Place in `terms`. */
  terms: number,
  /** Epoch ms of the earliest row; null = none has a time. */
  at: number | null,
  /** Sum of the marks below. */
  marks: number,
  input: number,
  output: number,
  cacheRead: number,
  write5m: number,
  write1h: number,
  thinking: number,
  more?: More,
];

export const ID = 0;
export const REQUEST_ID = 1;
export const SESSION = 2;
export const MODEL = 3;
export const TERMS = 4;
export const AT = 5;
export const MARKS = 6;
export const INPUT = 7;
export const OUTPUT = 8;
export const CACHE_READ = 9;
export const WRITE_5M = 10;
export const WRITE_1H = 11;
export const THINKING = 12;
export const MORE = 13;

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

/** What few calls have. */
export interface More {
  readonly searches?: number;
  readonly fetches?: number;
  /** The passes that the counts above are the sum of, where there are several. */
  readonly passes?: readonly Pass[];
  /** There were several passes, but only their sum is sure. */
  readonly summed?: true;
  /** Used beside the counts above: by an advisor, or to compact the conversation. */
  readonly beside?: readonly Pass[];
}

export type Pass = readonly [
  /** null = the call's own. */
  model: string | null,
  input: number,
  output: number,
  cacheRead: number,
  write5m: number,
  write1h: number,
];

export const NO_FACTS: ClaudeFacts = { project: null, session: null, names: [], terms: [], copies: [], unreadable: 0 };
