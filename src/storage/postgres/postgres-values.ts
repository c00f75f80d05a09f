import { type CustomTypesConfig, TypeOverrides } from 'pg';

/** Value of a parameter. No column of ours is a boolean: these are for the server's own tables. */
type PostgresScalar = string | number | bigint | boolean | null;

/** Object ids of the types that hold integers of any size: `count` and `sum` return them. */
const INT8 = 20;
const NUMERIC = 1700;
const TEXT = 25;
/** PostgreSQL has no U+0000 in text. Two characters replace it and the first of them, so that the order stays. */
const ESCAPED = /[\0\x01]/g;
const ESCAPES: Readonly<Record<string, string>> = { '\0': '\x01\x01', '\x01': '\x01\x02' };
const ESCAPE = /\x01([\x01\x02])/g;

/** Integers as numbers. One that a number can't hold is an error, never rounded. */
export const NUMBERS: CustomTypesConfig = withIntegers((text) => {
  const number = Number(text);
  if (!Number.isSafeInteger(number)) throw new RangeError(`The database returned ${text}, which is no safe integer.`);
  return number;
});

/** Integers as `bigint`, for sums. */
export const BIGINTS: CustomTypesConfig = withIntegers(BigInt);

function withIntegers(parse: (text: string) => number | bigint): CustomTypesConfig {
  const types = new TypeOverrides();
  types.setTypeParser(INT8, parse);
  types.setTypeParser(NUMERIC, parse);
  types.setTypeParser(TEXT, unescapeText);
  return types;
}

function escapeText(text: string): string {
  return text.replace(ESCAPED, (character) => ESCAPES[character] ?? '');
}

function unescapeText(text: string): string {
  return text.includes('\x01') ? text.replace(ESCAPE, (_, which) => (which === '\x01' ? '\0' : '\x01')) : text;
}

/** Checks the values of a query. The driver itself would turn what it does not know into text, or into null. */
export function toParameters(values: readonly unknown[]): (PostgresScalar | PostgresScalar[])[] {
  return values.map((value) => (Array.isArray(value) ? value.map(toParameter) : toParameter(value)));
}

function toParameter(value: unknown): PostgresScalar {
  if (typeof value === 'string') return escapeText(value);
  if (value === null || ['number', 'bigint', 'boolean'].includes(typeof value)) return value as PostgresScalar;
  throw new TypeError(`A value of type ${typeof value} can't be stored`);
}
