/** What a request used, as logged: `cached` and `written` are inside `input`, `thinking` is inside `output`. */
export type UsageCounts = readonly [input: number, cached: number, written: number, output: number, thinking: number];

export const COUNT_FIELDS = [
  'input_tokens',
  'cached_input_tokens',
  'cache_write_input_tokens',
  'output_tokens',
  'reasoning_output_tokens',
] as const;

/** null = nothing was told. What is no count is none. */
export function readCounts(value: unknown): UsageCounts | null {
  if (typeof value !== 'object' || value === null) return null;
  const told = value as Partial<Record<(typeof COUNT_FIELDS)[number], unknown>>;
  const [input, cached, written, output, thinking] = COUNT_FIELDS;
  return [
    countOrZero(told[input]),
    countOrZero(told[cached]),
    countOrZero(told[written]),
    countOrZero(told[output]),
    countOrZero(told[thinking]),
  ];
}

function countOrZero(value: unknown): number {
  return Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : 0;
}

/** Tokens of both directions. */
export function sumCounts(counts: UsageCounts): number {
  return counts[0] + counts[3];
}

export function isSameCounts(a: UsageCounts, b: UsageCounts): boolean {
  return a[0] === b[0] && a[1] === b[1] && a[2] === b[2] && a[3] === b[3] && a[4] === b[4];
}

/** A request told of in two rows; one of them may leave out what others don't. */
export function isSameRequest(a: UsageCounts, b: UsageCounts): boolean {
  return a[0] === b[0] && a[1] === b[1] && a[3] === b[3];
}

/** What a running total grew by. One that fell began anew. */
export function growCounts(total: UsageCounts, before: UsageCounts): UsageCounts {
  if (sumCounts(total) < sumCounts(before)) return total;
  const grown = (part: 0 | 1 | 2 | 3 | 4) => Math.max(0, total[part] - before[part]);
  return [grown(0), grown(1), grown(2), grown(3), grown(4)];
}

/** Limits that have a counter of their own in one rollout: there are two or three. The oldest is forgotten. */
const LANES_MAX = 16;
const NOTHING: UsageCounts = [0, 0, 0, 0, 0];
/** Rows that name no limit, before one does. */
const UNNAMED = '';

/** Where the counters of a rollout stand. */
export interface CounterState {
  /** The last total of each limit. */
  readonly heads: readonly (readonly [lane: string, total: UsageCounts])[];
  /** The limit of the last row. */
  readonly lane: string;
  /** Totals taken over from another file. */
  readonly baselines: readonly UsageCounts[];
}

export const NO_COUNTERS: CounterState = { heads: [], lane: UNNAMED, baselines: [] };

/** One row's running total, and the usage of the last request. */
export interface CounterReading {
  readonly total: UsageCounts | null;
  readonly last: UsageCounts | null;
  readonly lane: string | null;
}

/** A request that a row reports for the first time. */
export interface NewRequest {
  readonly counts: UsageCounts;
  /** Only the growth of this total is known: it may be that of several requests. */
  readonly grownTo?: UsageCounts;
}

/** A request that is known already. */
interface KnownRequest {
  readonly counts: UsageCounts;
  readonly total: number | null;
  readonly grownTo?: UsageCounts;
}

/**
 * Tells new requests from repetitions. A total is repeated at the end of each turn, whenever limits change, and at times
 * long after others followed: what was there before, total and last request alike, is no request wherever it stands.
 * Limits may have counters of their own, so that a total without its last request goes on from that of the same limit.
 */
export class UsageCounters {
  readonly #heads: Map<string, UsageCounts>;
  readonly #baselines: UsageCounts[];
  /** By their total; those with the total of another are apart, since there are hardly any. */
  readonly #known = new Map<number, KnownRequest>();
  readonly #alike: KnownRequest[] = [];
  #lane: string;

  constructor({ heads, lane, baselines }: CounterState, requests: readonly KnownRequest[]) {
    this.#heads = new Map(heads);
    this.#baselines = [...baselines];
    this.#lane = lane;
    for (const request of requests) this.#remember(request);
  }

  get state(): CounterState {
    return { heads: [...this.#heads], lane: this.#lane, baselines: [...this.#baselines] };
  }

  /**
   * Returns the request that a row reports; null = none that is new.
   *
   * @param continues the file's first total may be one that other files lead to
   */
  read({ total, last, lane }: CounterReading, continues: boolean): NewRequest | null {
    if (total === null) return isUsed(last) ? { counts: last } : null;
    if (last !== null) return this.#request(total, last);
    this.#lane = lane ?? this.#lane;
    return this.#grown(total, continues);
  }

  /** Rows that name the last request are told apart by it: whose counter the total is does not matter. */
  #request(total: UsageCounts, last: UsageCounts): NewRequest | null {
    const head = this.#heads.get(UNNAMED);
    if (head !== undefined && isSameCounts(head, total)) return null;
    const sum = sumCounts(total);
    if (this.#isKnown(sum, last)) return null;
    this.#heads.set(UNNAMED, total);
    if (!isUsed(last)) return null;
    this.#remember({ counts: last, total: sum });
    return { counts: last };
  }

  #isKnown(sum: number, last: UsageCounts): boolean {
    const known = this.#known.get(sum);
    if (known === undefined) return false;
    if (isSameRequest(known.counts, last)) return true;
    return this.#alike.some(({ total, counts }) => total === sum && isSameRequest(counts, last));
  }

  #grown(total: UsageCounts, continues: boolean): NewRequest | null {
    if (this.#isRepeated(total)) return null;
    const before = this.#goesOnFrom(total);
    this.#heads.set(this.#lane, total);
    const [oldest] = this.#heads.keys();
    if (this.#heads.size > LANES_MAX && oldest !== undefined) this.#heads.delete(oldest);
    if (before === null && continues) {
      if (this.#baselines.length < LANES_MAX) this.#baselines.push(total);
      return null;
    }
    const counts = growCounts(total, before ?? NOTHING);
    if (!isUsed(counts)) return null;
    this.#remember({ counts, total: sumCounts(total), grownTo: total });
    return { counts, grownTo: total };
  }

  #isRepeated(total: UsageCounts): boolean {
    for (const head of this.#heads.values()) if (isSameCounts(head, total)) return true;
    if (this.#baselines.some((baseline) => isSameCounts(baseline, total))) return true;
    const sum = sumCounts(total);
    const isSameTotal = (known: KnownRequest): boolean =>
      known.total === sum && (known.grownTo === undefined || isSameCounts(known.grownTo, total));
    const known = this.#known.get(sum);
    return known !== undefined && (isSameTotal(known) || this.#alike.some(isSameTotal));
  }

  /** The head of the lane, or of rows that name none if that is further on. The first lane takes that over. */
  #goesOnFrom(total: UsageCounts): UsageCounts | null {
    const own = this.#heads.get(this.#lane) ?? null;
    const unnamed = this.#heads.get(UNNAMED);
    if (this.#lane === UNNAMED || unnamed === undefined || sumCounts(unnamed) > sumCounts(total)) return own;
    if (own !== null && sumCounts(own) > sumCounts(unnamed)) return own;
    this.#heads.delete(UNNAMED);
    return unnamed;
  }

  #remember(request: KnownRequest): void {
    if (request.total === null) return;
    if (this.#known.has(request.total)) this.#alike.push(request);
    else this.#known.set(request.total, request);
  }
}

function isUsed(counts: UsageCounts | null): counts is UsageCounts {
  return counts !== null && sumCounts(counts) > 0;
}
