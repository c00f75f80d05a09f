import { isSameRequest } from './counters.ts';
import { idTime, type RequestStep, stepContext } from './facts.ts';
import { type RolloutFamily, type RolloutFile, rolloutThread } from './inherited-steps.ts';

/** A request in one rollout. */
export interface RolloutRequest {
  readonly rollout: RolloutFile;
  readonly step: RequestStep;
  /** Index in the rollout. */
  readonly index: number;
  /** The request was copied from another file. */
  readonly isCopy: boolean;
}

/** Remembers counted requests, so that each copied request counts once in any number of files. */
export class CountedRequests {
  readonly #family: RolloutFamily;
  readonly #byTotal = new Map<number, RolloutRequest[]>();
  readonly #responses = new Set<string>();
  readonly #totals: ReadonlySet<number | null>;

  /** Takes all copies, to remember only requests that may equal one of them. */
  constructor(family: RolloutFamily, copies: readonly RolloutRequest[]) {
    this.#family = family;
    this.#totals = new Set(copies.map(({ step }) => step.total));
  }

  /** Adds an answer id, and returns true if it is new or absent. */
  addNamed({ response }: RequestStep): boolean {
    if (response === null) return true;
    const isNew = !this.#responses.has(response);
    this.#responses.add(response);
    return isNew;
  }

  add(request: RolloutRequest): void {
    const { total } = request.step;
    if (total === null || !this.#totals.has(total)) return;
    const known = this.#byTotal.get(total);
    if (known === undefined) this.#byTotal.set(total, [request]);
    else known.push(request);
  }

  hasCopied(copy: RolloutRequest): boolean {
    const { total } = copy.step;
    return total !== null && (this.#byTotal.get(total)?.some((other) => this.#isSame(copy, other)) ?? false);
  }

  /** Compares two requests with the same total. A turn with a time in its id is unique; other turn ids may repeat. */
  #isSame(copy: RolloutRequest, other: RolloutRequest): boolean {
    if (!isSameRequest(copy.step.counts, other.step.counts)) return false;
    if (rolloutThread(copy.rollout) === rolloutThread(other.rollout)) return true;
    const [turn, itsTurn] = [requestTurn(copy), requestTurn(other)];
    if (turn !== null && itsTurn !== null) {
      if (turn !== itsTurn) return false;
      if (idTime(turn) !== null) return true;
    }
    return this.#isRelated(copy, other) || hasSameNeighbor(copy, other);
  }

  /** Returns true if the copied thread is an ancestor of the copy's, or both copy the same ancestor. */
  #isRelated({ rollout }: RolloutRequest, other: RolloutRequest): boolean {
    const line = this.#family.line(rollout);
    if (!other.isCopy) return line.has(rolloutThread(other.rollout));
    return [...this.#family.line(other.rollout)].some((thread) => line.has(thread));
  }
}

function requestTurn({ rollout, step }: RolloutRequest): string | null {
  return stepContext(rollout.facts, step).turn;
}

/** Returns true if a neighboring request is equal too. This suffices if files between two threads are missing. */
function hasSameNeighbor(a: RolloutRequest, b: RolloutRequest): boolean {
  return [-1, 1].some((way) => {
    const [next, itsNext] = [a.rollout.facts.steps[a.index + way], b.rollout.facts.steps[b.index + way]];
    if (next === undefined || itsNext === undefined || next.total === null) return false;
    return next.total === itsNext.total && isSameRequest(next.counts, itsNext.counts);
  });
}
