import type { LimitMessageToGateway } from '../ipc/messages.ts';
import type { CounterMove } from '../domain/limits/limit.ts';

/** Changes kept apart. Beyond this, changes of the same limit or counter are merged. */
export const UNMERGED_CHANGES_MAX = 1_000;
/** Maximum number of waiting questions. The ledger gives up each after a while. */
export const QUESTIONS_MAX = 1_000;

type LimitQuestion = Extract<LimitMessageToGateway, { type: 'ask-applied' | 'ask-limits' | 'answer-changes' }>;

/**
 * Changes of limits that can't be applied yet, in order. However long they wait, there are at most as many as limits,
 * counters and questions.
 */
export class LimitChanges {
  #changes: LimitMessageToGateway[] = [];
  #mergeAt = UNMERGED_CHANGES_MAX;

  get size(): number {
    return this.#changes.length;
  }

  add(change: LimitMessageToGateway): void {
    this.#changes.push(change);
    if (this.#changes.length <= this.#mergeAt) return;
    this.#changes = mergeChanges(this.#changes);
    this.#mergeAt = Math.max(UNMERGED_CHANGES_MAX, 2 * this.#changes.length);
  }

  /** Returns all changes and keeps none. */
  take(): LimitMessageToGateway[] {
    const taken = this.#changes;
    this.#changes = [];
    this.#mergeAt = UNMERGED_CHANGES_MAX;
    return taken;
  }
}

/**
 * Merges changes: the last change of a limit takes the place of the first. Moves are merged up to the next backfill,
 * answer or limit, which they must not pass.
 */
function mergeChanges(changes: readonly LimitMessageToGateway[]): LimitMessageToGateway[] {
  const kept: LimitMessageToGateway[] = [];
  const places = new Map<string, number>();
  const asked = new Set(changes.filter(isQuestion).slice(-QUESTIONS_MAX));
  let moves: CounterMoves | null = null;
  for (const change of changes) {
    if (isQuestion(change) && !asked.has(change)) continue;
    if (change.type === 'counters-moved') {
      if (moves) {
        moves.add(change.moves);
        continue;
      }
      moves = new CounterMoves(change.moves);
      kept.push({ type: 'counters-moved', moves: moves.list });
      continue;
    }
    const id = decidedLimit(change);
    const place = id === null ? undefined : places.get(id);
    if (place !== undefined) {
      kept[place] = change;
      continue;
    }
    if (id !== null) places.set(id, kept.length);
    if (id !== null || change.type === 'limit-backfilled' || change.type === 'answer-counters') moves = null;
    kept.push(change);
  }
  return kept;
}

function isQuestion(change: LimitMessageToGateway): change is LimitQuestion {
  return change.type === 'ask-applied' || change.type === 'ask-limits' || change.type === 'answer-changes';
}

/** Returns the limit that a change sets or removes; null = none. */
function decidedLimit(change: LimitMessageToGateway): string | null {
  if (change.type === 'limit-changed') return change.limit.id;
  return change.type === 'limit-removed' ? change.id : null;
}

/** Moves of counters, one per counter as long as its sum is an exact number. */
class CounterMoves {
  readonly list: CounterMove[] = [];
  readonly #places = new Map<string, number>();

  constructor(moves: readonly CounterMove[]) {
    this.add(moves);
  }

  add(moves: readonly CounterMove[]): void {
    for (const move of moves) {
      const key = `${move.counter} ${move.windowStart} ${move.value}`;
      const place = this.#places.get(key);
      const before = place === undefined ? undefined : this.list[place];
      const counted = move.counted + (before?.counted ?? 0);
      const uncertain = move.uncertain + (before?.uncertain ?? 0);
      const fits = Number.isSafeInteger(counted) && Number.isSafeInteger(uncertain);
      if (before && place !== undefined && fits) this.list[place] = { ...move, counted, uncertain };
      else this.#places.set(key, this.list.push(move) - 1);
    }
  }
}
