import { type CounterState, NO_COUNTERS, type UsageCounts } from './counters.ts';

/** Facts of one rollout file. */
export interface CodexFacts {
  /** Thread of the rollout. */
  readonly thread: string | null;
  /** Session of the thread. A sub-agent has the session of the first thread. */
  readonly session: string | null;
  /** Threads whose history this one continues. */
  readonly parents: readonly string[];
  /** The file contains an ancestor's session row, and so the ancestor's rows. */
  readonly replays: boolean;
  /** Its first total may continue that of another file. */
  readonly continues: boolean;
  readonly project: string | null;
  /** `openai`, or another provider. */
  readonly provider: string | null;
  /** Epoch ms of the first row. */
  readonly startedAt: number | null;
  /** Epoch ms at which the thread was created. */
  readonly createdAt: number | null;
  /** Ordinal of the first row that is not inherited; null = not in the file. */
  readonly ownFrom: number | null;
  /** Steps before the first turn after the last session row of an ancestor; null = none. */
  readonly ownMark: number | null;
  /** Steps before an agent first triggered a turn of the thread; null = none. */
  readonly triggerMark: number | null;
  /** The file continues its own thread from an earlier file. */
  readonly isLaterPage: boolean;
  /** The file is output of `codex exec --json`, which has no times or models. */
  readonly isExecOutput: boolean;
  /** The current model comes from a usage row and not from a turn. */
  readonly isModelOfRow: boolean;
  readonly contexts: readonly RowContext[];
  readonly steps: readonly RequestStep[];
  /** Context of the next row. */
  readonly now: RowContext;
  readonly counters: CounterState;
}

/** Context that rows set for later rows. */
export interface RowContext {
  readonly model: string | null;
  /** Requested service tier, lower case; null = none. */
  readonly tier: string | null;
  readonly turn: string | null;
  /** The turn started after the thread was created (true) or before (false); null = unknown. */
  readonly own: boolean | null;
  /** Session named in a row, if it is not the file's. */
  readonly session: string | null;
}

/** Usage of one request. */
export interface RequestStep {
  /** Epoch ms. */
  readonly at: number;
  readonly counts: UsageCounts;
  /** Running total of the thread after the request; null = not logged. */
  readonly total: number | null;
  /** Index into `contexts`. */
  readonly context: number;
  /** Answer id of the provider. */
  readonly response: string | null;
  /** Only the growth to this total is known, which may include several requests. */
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

/** Returns the time of a version 7 UUID, which is its first 48 bits; null = another kind of id. */
export function idTime(id: string | null): number | null {
  const parts = /^(?<high>[\da-f]{8})-(?<low>[\da-f]{4})-7[\da-f]{3}-/i.exec(id ?? '')?.groups;
  return parts ? Number.parseInt(`${parts['high']}${parts['low']}`, 16) : null;
}

/**
 * Returns true if a turn started after its thread was created. An earlier turn was inherited from another thread with its id.
 * null = unknown from both the id and the turn's start (whole seconds).
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
