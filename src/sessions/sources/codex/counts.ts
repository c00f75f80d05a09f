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
