/** Value of an attribute. Lists and maps are never read. */
export type AttributeValue = string | number | boolean;
export type AttributeValues = ReadonlyMap<string, AttributeValue>;

/** A log record or span, with the attributes that are read. Times are epoch milliseconds. */
export interface TelemetryRecord {
  readonly signal: 'log' | 'span';
  /** Name of the event or span. */
  readonly name: string;
  /** `service.name` of the program that sends it. */
  readonly service: string;
  readonly attributes: AttributeValues;
  readonly startedAt: number;
  readonly endedAt: number;
  /** Trace and span, in hexadecimal digits; '' = none. */
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
}

/** Longest text of an attribute that is read. Names and ids are shorter. */
const TEXT_CHARACTERS_MAX = 256;

/** Returns a text attribute; null = absent, empty, too long or not a text. */
export function textAttribute(attributes: AttributeValues, ...names: readonly string[]): string | null {
  for (const name of names) {
    const value = attributes.get(name);
    if (typeof value === 'string' && value !== '' && value.length <= TEXT_CHARACTERS_MAX) return value.toWellFormed();
  }
  return null;
}

/** Returns a number attribute, which some programs send as text; null = absent or not a number from 0 up. */
export function numberAttribute(attributes: AttributeValues, ...names: readonly string[]): number | null {
  for (const name of names) {
    const value = attributes.get(name);
    const number = typeof value === 'string' && value !== '' ? Number(value) : value;
    if (typeof number === 'number' && Number.isFinite(number) && number >= 0) return number;
  }
  return null;
}

/** Tokens of one request; no provider has contexts of this length. */
const TOKENS_MAX = 1_000_000_000;

/** Returns a count of tokens: 0 if absent, null if it is not a whole number from 0 up. */
export function countAttribute(attributes: AttributeValues, ...names: readonly string[]): number | null {
  if (!names.some((name) => attributes.has(name))) return 0;
  const count = numberAttribute(attributes, ...names);
  return count !== null && Number.isSafeInteger(count) && count <= TOKENS_MAX ? count : null;
}

/** Returns a count of tokens that every report of a call has: null if it is absent or wrong. */
export function countPresent(attributes: AttributeValues, ...names: readonly string[]): number | null {
  return names.some((name) => attributes.has(name)) ? countAttribute(attributes, ...names) : null;
}
