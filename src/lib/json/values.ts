/** Members of a parsed JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Returns an object that is not a list; null = anything else. */
export function asObject(value: unknown): JsonObject | null {
  return isObject(value) ? value : null;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the members of an object; anything else has none. */
export function asMembers(value: unknown): JsonObject {
  return asObject(value) ?? {};
}

/** Returns a non-empty text; null = anything else. */
export function asText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** Returns a non-empty text in lower case; null = anything else. */
export function asWord(value: unknown): string | null {
  return asText(value)?.toLowerCase() ?? null;
}

/** Returns the epoch ms of a date text; null = anything else. */
export function asTime(value: unknown): number | null {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? null : time;
}

/**
 * Reads a count: absent and null are 0. Anything else that is not a whole number from 0 up is NaN, which carries through
 * every sum, so that a wrong count makes the whole usage unknown.
 */
export function asCount(value: unknown): number {
  if (value === undefined || value === null) return 0;
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : Number.NaN;
}
