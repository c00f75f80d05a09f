import type { ParsedFile } from '../source.ts';
import { isSameRequest } from './counts.ts';
import { contextOf, type CodexFacts, type Step } from './facts.ts';

export type Rollout = ParsedFile<CodexFacts>;

/** Rows that are copied when a thread is forked are all written at once. */
const BURST_GAP_MS = 1_000;
/** Without another sign of a copy: no provider answers twice in this time. */
const BURST_MS = 100;

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
    let isCertain = facts.replays || startsInBurst(facts);
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
   * have turns of their own, and copies keep the turn.
   */
  #hasStep(rollouts: readonly Rollout[], step: Step, turn?: string | null): boolean {
    return rollouts.some((rollout) =>
      this.#stepsAt(rollout, step.total).some(
        (other) =>
          isSameRequest(other.counts, step.counts) &&
          (turn === undefined || contextOf(rollout.facts, other).turn === turn),
      ),
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
  if (ownMark !== null && ownMark > 0) return ownMark;
  let count = 0;
  let before = startedAt ?? Number.NEGATIVE_INFINITY;
  for (const step of steps) {
    const isTogether = replays ? step.at - before <= BURST_GAP_MS : step.at - (startedAt ?? 0) <= BURST_MS;
    if (!isTogether || contextOf(facts, step).own === true) break;
    before = step.at;
    count++;
  }
  return replays || count > 1 ? count : 0;
}

function startsInBurst({ steps, startedAt }: CodexFacts): boolean {
  const first = steps[0];
  return first !== undefined && startedAt !== null && first.at - startedAt <= BURST_GAP_MS;
}

function add<Value>(lists: Map<string, Value[]>, name: string, value: Value): void {
  const list = lists.get(name);
  if (list) list.push(value);
  else lists.set(name, [value]);
}
