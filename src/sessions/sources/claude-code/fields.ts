/** Members of a row, as logged. */
export type Fields = Readonly<Record<string, unknown>>;

/** What is no object has no members. */
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

export function wordOf(value: unknown): string | null {
  return textOf(value)?.toLowerCase() ?? null;
}

/** Epoch ms. */
export function timeOf(value: unknown): number | null {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? null : time;
}
