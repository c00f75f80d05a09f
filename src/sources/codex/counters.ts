import { growth, isSame, isSameRequest, sumOf, type Counts } from './counts.ts';

/** Limits that have a counter of their own in one rollout: there are two or three. The oldest is forgotten. */
const LANES_MAX = 16;
const NOTHING: Counts = [0, 0, 0, 0, 0];
/** Rows that name no limit, before one does. */
const UNNAMED = '';

/** Where the counters of a rollout stand. */
export interface CounterState {
  /** The last total of each limit. */
  readonly heads: readonly (readonly [lane: string, total: Counts])[];
  /** The limit of the last row. */
  readonly lane: string;
  /** Totals taken over from another file. */
  readonly baselines: readonly Counts[];
}

export const NO_COUNTERS: CounterState = { heads: [], lane: UNNAMED, baselines: [] };

/** One row's running total, and the usage of the last request. */
export interface Reading {
  readonly total: Counts | null;
  readonly last: Counts | null;
  readonly lane: string | null;
}

/** A request that a row reports for the first time. */
export interface Counted {
  readonly counts: Counts;
  /** Only the growth of this total is known: it may be that of several requests. */
  readonly grownTo?: Counts;
}

/** A request that is known already. */
interface Known {
  readonly counts: Counts;
  readonly total: number | null;
  readonly grownTo?: Counts;
}

/**
 * Tells new requests from repetitions. A total is repeated at the end of each turn, whenever limits change, and at times
 * long after others followed: what was there before, total and last request alike, is no request wherever it stands.
 * Limits may have counters of their own, so that a total without its last request goes on from that of the same limit.
 */
export class Counters {
  readonly #heads: Map<string, Counts>;
  readonly #baselines: Counts[];
  readonly #known = new Map<number, Known[]>();
  #lane: string;

  constructor({ heads, lane, baselines }: CounterState, requests: readonly Known[]) {
    this.#heads = new Map(heads);
    this.#baselines = [...baselines];
    this.#lane = lane;
    for (const request of requests) if (request.total !== null) this.#remember(request.total, request);
  }

  get state(): CounterState {
    return { heads: [...this.#heads], lane: this.#lane, baselines: [...this.#baselines] };
  }

  /**
   * Returns the request that a row reports; null = none that is new.
   *
   * @param continues the file's first total may be one that other files lead to
   */
  read({ total, last, lane }: Reading, continues: boolean): Counted | null {
    this.#lane = lane ?? this.#lane;
    if (total === null) return isUsed(last) ? { counts: last } : null;
    if (this.#isRepeated(total, last)) return null;
    const before = this.#heads.get(this.#lane) ?? this.#heads.get(UNNAMED) ?? null;
    this.#advance(total);
    if (last !== null) return isUsed(last) ? this.#counted(total, { counts: last }) : null;
    if (before === null && continues) {
      if (this.#baselines.length < LANES_MAX) this.#baselines.push(total);
      return null;
    }
    const counts = growth(total, before ?? NOTHING);
    return isUsed(counts) ? this.#counted(total, { counts, grownTo: total }) : null;
  }

  #isRepeated(total: Counts, last: Counts | null): boolean {
    for (const head of this.#heads.values()) if (isSame(head, total)) return true;
    const known = this.#known.get(sumOf(total));
    if (last !== null) return known?.some(({ counts }) => isSameRequest(counts, last)) ?? false;
    if (this.#baselines.some((baseline) => isSame(baseline, total))) return true;
    return known?.some(({ grownTo }) => grownTo === undefined || isSame(grownTo, total)) ?? false;
  }

  #advance(total: Counts): void {
    if (this.#lane !== UNNAMED) this.#heads.delete(UNNAMED);
    this.#heads.set(this.#lane, total);
    const [oldest] = this.#heads.keys();
    if (this.#heads.size > LANES_MAX && oldest !== undefined) this.#heads.delete(oldest);
  }

  #counted(total: Counts, counted: Counted): Counted {
    const sum = sumOf(total);
    this.#remember(sum, { ...counted, total: sum });
    return counted;
  }

  #remember(total: number, request: Known): void {
    const known = this.#known.get(total);
    if (known === undefined) this.#known.set(total, [request]);
    else known.push(request);
  }
}

function isUsed(counts: Counts | null): counts is Counts {
  return counts !== null && sumOf(counts) > 0;
}
