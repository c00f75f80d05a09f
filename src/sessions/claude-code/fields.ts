/** Members of a row, as logged. */
export type RowFields = Readonly<Record<string, unknown>>;

/** What is no object has no members. */
export function asFields(value: unknown): RowFields {
  return isFields(value) ? value : {};
}

export function isFields(value: unknown): value is RowFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function asText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

export function asWord(value: unknown): string | null {
  return asText(value)?.toLowerCase() ?? null;
}

/** Epoch ms. */
export function asTime(value: unknown): number | null {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? null : time;
}
