/** Usage of a request as logged. `input` includes `cached` and `written`, `output` includes `thinking`. */
export type UsageCounts = readonly [input: number, cached: number, written: number, output: number, thinking: number];

export const COUNT_FIELDS = [
  'input_tokens',
  'cached_input_tokens',
  'cache_write_input_tokens',
  'output_tokens',
  'reasoning_output_tokens',
] as const;

/** Reads counts; null = absent. Invalid counts are 0. */
export function readCounts(value: unknown): UsageCounts | null {
  if (typeof value !== 'object' || value === null) return null;
  const reported = value as Partial<Record<(typeof COUNT_FIELDS)[number], unknown>>;
  const [input, cached, written, output, thinking] = COUNT_FIELDS;
  return [
    countOrZero(reported[input]),
    countOrZero(reported[cached]),
    countOrZero(reported[written]),
    countOrZero(reported[output]),
    countOrZero(reported[thinking]),
  ];
}

function countOrZero(value: unknown): number {
  return Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : 0;
}

/** Returns input and output together. */
export function sumCounts(counts: UsageCounts): number {
  return counts[0] + counts[3];
}

function isSameCounts(a: UsageCounts, b: UsageCounts): boolean {
  return a[0] === b[0] && a[1] === b[1] && a[2] === b[2] && a[3] === b[3] && a[4] === b[4];
}

/** Compares the counts of two rows that may report the same request. One of them may lack some counts. */
export function isSameRequest(a: UsageCounts, b: UsageCounts): boolean {
  return a[0] === b[0] && a[1] === b[1] && a[3] === b[3];
}

/** Returns the growth of a running total. A smaller total is a restart. */
function growCounts(total: UsageCounts, before: UsageCounts): UsageCounts {
  if (sumCounts(total) < sumCounts(before)) return total;
  const grown = (part: 0 | 1 | 2 | 3 | 4) => Math.max(0, total[part] - before[part]);
  return [grown(0), grown(1), grown(2), grown(3), grown(4)];
}

/** Rate limits with a separate counter in one rollout. There are two or three; the oldest is dropped. */
const LANES_MAX = 16;
const NOTHING: UsageCounts = [0, 0, 0, 0, 0];
/** Lane of rows that name no limit. */
const UNNAMED = '';

/** State of the counters of a rollout. */
export interface CounterState {
  /** Last total of each limit. */
  readonly heads: readonly (readonly [lane: string, total: UsageCounts])[];
  /** Limit of the last row. */
  readonly lane: string;
  /** Totals inherited from another file. */
  readonly baselines: readonly UsageCounts[];
}

export const NO_COUNTERS: CounterState = { heads: [], lane: UNNAMED, baselines: [] };

/** Running total and usage of the last request in one row. */
export interface CounterReading {
  readonly total: UsageCounts | null;
  readonly last: UsageCounts | null;
  readonly lane: string | null;
}

/** A request that a row reports first. */
export interface NewRequest {
  readonly counts: UsageCounts;
  /** Only the growth to this total is known, which may include several requests. */
  readonly grownTo?: UsageCounts;
}

/** A request that was already reported. */
interface KnownRequest {
  readonly counts: UsageCounts;
  readonly total: number | null;
  readonly grownTo?: UsageCounts;
}

/**
 * Separates new requests from repeated rows. A total is repeated at the end of each turn, when limits change, and sometimes
 * long after later ones: a row with the same total and last request as an earlier one is never a new request. Limits may have
 * separate counters, so a total without its last request continues that of the same limit.
 */
export class UsageCounters {
  readonly #heads: Map<string, UsageCounts>;
  readonly #baselines: UsageCounts[];
  /** Known requests by total. The few that share a total are in `#alike`. */
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
   * Returns the new request in a row; null = none.
   *
   * @param continues the file's first total may continue that of another file
   */
  read({ total, last, lane }: CounterReading, continues: boolean): NewRequest | null {
    if (total === null) return isUsed(last) ? { counts: last } : null;
    if (last !== null) return this.#request(total, last);
    this.#lane = lane ?? this.#lane;
    return this.#grown(total, continues);
  }

  /** Reads a row that has the last request, which identifies it regardless of the counter. */
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

  /** Returns the previous total of the lane, or of unnamed rows if it is larger. The first lane takes over the latter. */
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
