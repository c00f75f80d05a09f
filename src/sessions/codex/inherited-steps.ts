import type { ParsedFile } from '../reading/source.ts';
import { isSameRequest } from './counters.ts';
import { stepContext, type CodexFacts, type RequestStep } from './facts.ts';

export type RolloutFile = ParsedFile<CodexFacts>;

/** Longest pause between rows that are copied at a fork, which are written in one go. */
const COPY_GAP_MS = 250;
/** Longest pause between the start of a file and its first copied row. */
const COPY_START_MS = 1_000;

/** Equal requests that prove copies if nothing else does. One in the same turn is enough. */
const LIKENESS_MIN = 2;

/** Files that may contain rows of a rollout. */
interface RolloutRelatives {
  /** Earlier files of the same thread. */
  readonly pages: readonly RolloutFile[];
  /** Files of its ancestor threads, and for a missing one, other files that continue it. */
  readonly others: readonly RolloutFile[];
  /** A file of an ancestor thread is missing. */
  readonly isMissing: boolean;
}

/** Number of steps at the start of a rollout that are copied from another file. */
export interface InheritedSteps {
  readonly count: number;
  /** The first of them, which a turn or a mark shows to be copies. Only their time shows it of the others. */
  readonly proven: number;
}

const NO_STEPS: InheritedSteps = { count: 0, proven: 0 };

/**
 * Decides which steps of a rollout are copied from another file. A thread that continues another may repeat its rows (all at
 * the start, with new or old times), or only continue its total, or share nothing but a name. A thread may also be split over
 * several files.
 */
export class RolloutFamily {
  readonly #threads = new Map<string, RolloutFile[]>();
  /** Rollouts that continue a thread, by thread. */
  readonly #heirs = new Map<string, RolloutFile[]>();
  readonly #byTotal = new Map<RolloutFile, ReadonlyMap<number | null, readonly RequestStep[]>>();
  readonly #lines = new Map<RolloutFile, ReadonlySet<string>>();

  /** Takes rollouts in the order of their start. */
  constructor(rollouts: readonly RolloutFile[]) {
    for (const rollout of rollouts) addToList(this.#threads, rolloutThread(rollout), rollout);
    for (const rollout of rollouts) for (const parent of rollout.facts.parents) addToList(this.#heirs, parent, rollout);
  }

  /** Returns the number of copied steps at the start of a rollout. */
  inheritedSteps(rollout: RolloutFile): InheritedSteps {
    const { facts } = rollout;
    const relatives = this.#relatives(rollout);
    if (facts.parents.length === 0 && relatives.pages.length === 0) return NO_STEPS;
    const common = this.#commonStart(facts, relatives);
    // A later file of a parent may be missing even if others exist.
    const mayGuess = (relatives.isMissing || common > 0) && relatives.pages.length === 0 && !facts.isLaterPage;
    return mayGuess ? guessInherited(facts, common) : { count: common, proven: common };
  }

  /** Returns the thread of a rollout and all its ancestors, including missing ones. */
  line(rollout: RolloutFile): ReadonlySet<string> {
    let line = this.#lines.get(rollout);
    if (line === undefined) this.#lines.set(rollout, (line = this.#findLine(rollout)));
    return line;
  }

  #findLine(rollout: RolloutFile): Set<string> {
    const line = new Set([rolloutThread(rollout)]);
    const open = [...rollout.facts.parents];
    for (let thread = open.pop(); thread !== undefined; thread = open.pop()) {
      if (line.has(thread)) continue;
      line.add(thread);
      for (const { facts } of this.#threads.get(thread) ?? []) open.push(...facts.parents);
    }
    return line;
  }

  /** Counts the first steps up to the last one known to be a copy. */
  #commonStart(facts: CodexFacts, { pages, others }: RolloutRelatives): number {
    let isCertain = facts.replays || startsWithFile(facts);
    let [matches, count] = [0, 0];
    for (const [index, step] of facts.steps.entries()) {
      const own = isOwn(facts, step);
      const { turn } = stepContext(facts, step);
      if (this.#likeness(pages, step, null) > 0) isCertain = true;
      else if (own === true) break;
      else if (own === false) isCertain = true;
      else {
        const likeness = this.#likeness(others, step, turn);
        if (likeness === 0 && step.response === null) break;
        if (likeness === 0) continue;
        matches += likeness;
      }
      count = index + 1;
    }
    return isCertain || matches >= LIKENESS_MIN ? count : 0;
  }

  /**
   * Returns how strongly a step matches one of other rollouts. Totals grow, so equal ones in one thread are the same request.
   * Related threads may start alike, but have different turns, while copies keep the turn or lack it.
   */
  #likeness(rollouts: readonly RolloutFile[], step: RequestStep, turn: string | null): number {
    if (step.total === null) return 0;
    let best = 0;
    for (const rollout of rollouts)
      for (const other of this.#stepsAt(rollout, step.total)) {
        if (!isSameRequest(other.counts, step.counts)) continue;
        const itsTurn = turn === null ? null : stepContext(rollout.facts, other).turn;
        if (itsTurn === null) best = Math.max(best, 1);
        else if (itsTurn === turn) return LIKENESS_MIN;
      }
    return best;
  }

  #relatives(rollout: RolloutFile): RolloutRelatives {
    const own = rolloutThread(rollout);
    const ofThread = this.#threads.get(own) ?? [];
    const others: RolloutFile[] = [];
    let isMissing = false;
    for (const thread of this.line(rollout)) {
      if (thread === own) continue;
      const known = this.#threads.get(thread) ?? [];
      others.push(...known);
      if (known.some(({ facts }) => !facts.isLaterPage)) continue;
      isMissing = true;
      const heirs = this.#heirs.get(thread) ?? [];
      // Descendants of this thread contain its own requests too.
      others.push(...heirs.filter((heir) => !this.line(heir).has(own)));
    }
    return { pages: ofThread.slice(0, ofThread.indexOf(rollout)), others, isMissing };
  }

  #stepsAt(rollout: RolloutFile, total: number | null): readonly RequestStep[] {
    let steps = this.#byTotal.get(rollout);
    if (steps === undefined) {
      steps = Map.groupBy(rollout.facts.steps, (step) => step.total);
      this.#byTotal.set(rollout, steps);
    }
    return steps.get(total) ?? [];
  }
}

export function rolloutThread(rollout: RolloutFile): string {
  return rollout.facts.thread ?? rollout.file.sessionId;
}

/** Returns true if the thread made the request, false if its turn or row is older than the thread; null = unknown. */
function isOwn(facts: CodexFacts, step: RequestStep): boolean | null {
  if (facts.parents.length === 0) return null;
  const { own } = stepContext(facts, step);
  if (own !== null) return own;
  return facts.createdAt !== null && step.at < facts.createdAt ? false : null;
}

/** Estimates the copied steps if a file is missing, from marks in the rollout or the times of its rows. */
function guessInherited(facts: CodexFacts, known: number): InheritedSteps {
  const { steps, replays, triggerMark, ownMark } = facts;
  if (triggerMark === 0 && !replays) return { count: known, proven: known };
  const own = steps.findIndex((step) => isOwn(facts, step) === true);
  const beforeOwn = (end: number): number => (own === -1 ? end : Math.max(known, Math.min(end, own)));
  // Copies of copies may contain marks themselves.
  const marked = Math.max(known, triggerMark ?? ownMark ?? 0);
  const count = beforeOwn(Math.max(marked, writtenInOneGo(facts, known)));
  // Own requests follow a turn.
  const inTurn = steps.findLastIndex((step, index) => index < count && stepContext(facts, step).turn !== null) + 1;
  return { count, proven: Math.max(inTurn, beforeOwn(marked)) };
}

/** Counts the steps at the start that were written in one go, or that follow known copies without a pause. */
function writtenInOneGo({ steps, startedAt }: CodexFacts, known: number): number {
  let before = steps[known - 1]?.at ?? startedAt ?? Number.NEGATIVE_INFINITY;
  for (let index = known; index < steps.length; index++) {
    const at = steps[index]?.at ?? 0;
    if (at - before > (index === 0 ? COPY_START_MS : COPY_GAP_MS)) return index;
    before = at;
  }
  return steps.length;
}

function startsWithFile({ steps, startedAt }: CodexFacts): boolean {
  const first = steps[0];
  return first !== undefined && startedAt !== null && first.at - startedAt <= COPY_START_MS;
}

function addToList<Value>(lists: Map<string, Value[]>, name: string, value: Value): void {
  const list = lists.get(name);
  if (list) list.push(value);
  else lists.set(name, [value]);
}
