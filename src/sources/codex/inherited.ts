import type { ParsedFile } from '../source.ts';
import { isSameRequest } from './counts.ts';
import { contextOf, type CodexFacts, type Step } from './facts.ts';

export type Rollout = ParsedFile<CodexFacts>;

/** Rows that are copied when a thread is forked are written at once: so long at most between two of them. */
const COPY_GAP_MS = 250;
/** Copies begin with the file. */
const COPY_START_MS = 1_000;

/**
 * Tells which steps of a rollout are another file's. Threads that go on from others may repeat their rows (all at the
 * start, with new times), or go on from their total alone, or share nothing but a name; and a thread may be spread over
 * several files. So a step is inherited when its turn is older than the thread, or when those the thread comes from have it too.
 */
export class Family {
  readonly #threads = new Map<string, Rollout[]>();
  /** Threads that go on from one whose files are gone. */
  readonly #heirs = new Map<string, Rollout[]>();
  readonly #byTotal = new Map<Rollout, ReadonlyMap<number | null, readonly Step[]>>();

  /** Rollouts of one thread in the order in which they were begun. */
  constructor(rollouts: readonly Rollout[]) {
    for (const rollout of rollouts) add(this.#threads, threadOf(rollout), rollout);
    for (const rollout of rollouts)
      for (const parent of rollout.facts.parents) if (!this.#threads.has(parent)) add(this.#heirs, parent, rollout);
  }

  /** How many of a rollout's first steps are inherited. Those with a response id among them have that to go by. */
  inheritedSteps(rollout: Rollout): number {
    const { facts } = rollout;
    const earlierPages = this.#earlierPages(rollout);
    if (facts.parents.length === 0 && earlierPages.length === 0) return 0;
    const ancestors = this.#ancestors(rollout);
    const found = this.#commonStart(rollout, earlierPages, ancestors.rollouts);
    return found > 0 || !ancestors.missing || earlierPages.length > 0 ? found : guessInherited(facts);
  }

  #commonStart({ facts }: Rollout, pages: readonly Rollout[], ancestors: readonly Rollout[]): number {
    let isCertain = facts.replays || startsWithFile(facts);
    let matches = 0;
    let count = 0;
    for (const step of facts.steps) {
      const own = facts.parents.length > 0 ? contextOf(facts, step).own : null;
      if (this.#hasStep(pages, step)) isCertain = true;
      else if (own === true) break;
      else if (own === false) isCertain = true;
      else if (this.#hasStep(ancestors, step, contextOf(facts, step).turn)) matches++;
      else if (step.response === null) break;
      count++;
    }
    return isCertain || matches > 1 ? count : 0;
  }

  /**
   * Totals grow: within one thread, equal ones are the same request. Threads of one family may merely begin alike, but
   * have turns of their own, and copies keep the turn or leave it out.
   */
  #hasStep(rollouts: readonly Rollout[], step: Step, turn: string | null = null): boolean {
    if (step.total === null) return false;
    return rollouts.some((rollout) =>
      this.#stepsAt(rollout, step.total).some((other) => {
        const itsTurn = turn === null ? null : contextOf(rollout.facts, other).turn;
        return isSameRequest(other.counts, step.counts) && (itsTurn === null || itsTurn === turn);
      }),
    );
  }

  #earlierPages(rollout: Rollout): readonly Rollout[] {
    const pages = this.#threads.get(threadOf(rollout)) ?? [];
    return pages.slice(0, pages.indexOf(rollout));
  }

  /** Of a thread that is missing, what else goes on from it knows the history too. */
  #ancestors(rollout: Rollout): { rollouts: Rollout[]; missing: boolean } {
    const rollouts: Rollout[] = [];
    const seen = new Set<string>([threadOf(rollout)]);
    const open = [...rollout.facts.parents];
    let missing = false;
    for (let parent = open.pop(); parent !== undefined; parent = open.pop()) {
      if (seen.has(parent)) continue;
      seen.add(parent);
      const known = this.#threads.get(parent);
      missing ||= known === undefined;
      const heirs = this.#heirs.get(parent)?.filter((heir) => threadOf(heir) !== threadOf(rollout));
      rollouts.push(...(known ?? heirs ?? []));
      for (const { facts } of known ?? []) open.push(...facts.parents);
    }
    return { rollouts, missing };
  }

  #stepsAt(rollout: Rollout, total: number | null): readonly Step[] {
    let steps = this.#byTotal.get(rollout);
    if (steps === undefined) {
      steps = Map.groupBy(rollout.facts.steps, (step) => step.total);
      this.#byTotal.set(rollout, steps);
    }
    return steps.get(total) ?? [];
  }
}

export function threadOf(rollout: Rollout): string {
  return rollout.facts.thread ?? rollout.file.sessionId;
}

/** No file of the thread's past is there: what the file itself gives away. */
function guessInherited(facts: CodexFacts): number {
  const { steps, replays, startedAt, ownMark } = facts;
  if (steps.some((step) => contextOf(facts, step).own === true)) return 0;
  if (ownMark !== null && ownMark > 0) return ownMark;
  const turns = new Set<string>();
  let count = 0;
  let before = startedAt ?? Number.NEGATIVE_INFINITY;
  for (const step of steps) {
    const { turn } = contextOf(facts, step);
    if (step.at - before > COPY_GAP_MS) break;
    if (turn !== null) turns.add(turn);
    before = step.at;
    count++;
  }
  // Without the ancestor's description: nobody answers in two turns at once.
  return replays || turns.size > 1 ? count : 0;
}

function startsWithFile({ steps, startedAt }: CodexFacts): boolean {
  const first = steps[0];
  return first !== undefined && startedAt !== null && first.at - startedAt <= COPY_START_MS;
}

function add<Value>(lists: Map<string, Value[]>, name: string, value: Value): void {
  const list = lists.get(name);
  if (list) list.push(value);
  else lists.set(name, [value]);
}
