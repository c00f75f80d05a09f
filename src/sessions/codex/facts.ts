import { type CounterState, NO_COUNTERS, type UsageCounts } from './counters.ts';

/** What one rollout file says. */
export interface CodexFacts {
  /** The thread whose rollout this is. */
  readonly thread: string | null;
  /** The session that the thread belongs to: a sub-agent's is that of the thread that began it all. */
  readonly session: string | null;
  /** Threads whose history this one goes on from. */
  readonly parents: readonly string[];
  /** An ancestor's description of itself stands in the file: rows of that ancestor do too. */
  readonly replays: boolean;
  /** Its first row goes on from a total that other files lead to. */
  readonly continues: boolean;
  readonly project: string | null;
  /** `openai`, or who else answered. */
  readonly provider: string | null;
  /** Epoch ms of the first row. */
  readonly startedAt: number | null;
  /** Epoch ms at which the thread was made. */
  readonly createdAt: number | null;
  /** Ordinal of the first row that is not inherited, if the file says so. */
  readonly ownFrom: number | null;
  /** Steps before the first turn after the last description of an ancestor; null = there is none. */
  readonly ownMark: number | null;
  /** Steps before an agent first triggered a turn of the thread; null = none did. */
  readonly triggerMark: number | null;
  /** It goes on with its own thread from an earlier file. */
  readonly isLaterPage: boolean;
  /** It is what `codex exec --json` prints, with neither times nor models. */
  readonly isExecOutput: boolean;
  /** The model that applies is from a row of usage, not of a turn. */
  readonly isModelOfRow: boolean;
  readonly contexts: readonly RowContext[];
  readonly steps: readonly RequestStep[];
  /** What the next row goes on from. */
  readonly now: RowContext;
  readonly counters: CounterState;
}

/** What rows say for those that follow. */
export interface RowContext {
  readonly model: string | null;
  /** Service tier, lower case; null = none was asked for. */
  readonly tier: string | null;
  readonly turn: string | null;
  /** The turn began before the thread was made (false), or after; null = not known. */
  readonly own: boolean | null;
  /** The session that a row names for itself, if it is not the file's. */
  readonly session: string | null;
}

/** One request's usage. */
export interface RequestStep {
  /** Epoch ms. */
  readonly at: number;
  readonly counts: UsageCounts;
  /** The thread's running total (both directions) after it; null = not told. */
  readonly total: number | null;
  /** Index in `contexts`. */
  readonly context: number;
  /** The provider's id of the answer. */
  readonly response: string | null;
  /** Only the growth to this total is known, which may be that of several requests. */
  readonly grownTo?: UsageCounts;
}

const NO_CONTEXT: RowContext = { model: null, tier: null, turn: null, own: null, session: null };

export const NO_FACTS: CodexFacts = {
  thread: null,
  session: null,
  parents: [],
  replays: false,
  continues: false,
  project: null,
  provider: null,
  startedAt: null,
  createdAt: null,
  ownFrom: null,
  ownMark: null,
  triggerMark: null,
  isLaterPage: false,
  isExecOutput: false,
  isModelOfRow: false,
  contexts: [],
  steps: [],
  now: NO_CONTEXT,
  counters: NO_COUNTERS,
};

export function stepContext(facts: Pick<CodexFacts, 'contexts'>, step: Pick<RequestStep, 'context'>): RowContext {
  return facts.contexts[step.context] ?? NO_CONTEXT;
}

/** The first 48 bits of a UUID of version 7 are its time; null = another kind of id. */
export function idTime(id: string | null): number | null {
  const parts = /^(?<high>[\da-f]{8})-(?<low>[\da-f]{4})-7[\da-f]{3}-/i.exec(id ?? '')?.groups;
  return parts ? Number.parseInt(`${parts['high']}${parts['low']}`, 16) : null;
}

/**
 * Whether a turn began after its thread was made. One that began before was taken over from another thread, its id kept.
 * null = neither the id nor the turn's start (whole seconds) tells.
 */
export function isOwnTurn(
  createdAt: number | null,
  turn: string | null,
  startedAtSeconds: number | null,
): boolean | null {
  if (createdAt === null) return null;
  const began = idTime(turn);
  if (began !== null) return began >= createdAt;
  if (startedAtSeconds === null) return null;
  const second = Math.floor(createdAt / 1_000);
  return startedAtSeconds === second ? null : startedAtSeconds > second;
}
