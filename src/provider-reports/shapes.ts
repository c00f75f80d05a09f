import { z } from 'zod';
import type { ReportAmounts, ReportClass, ReportedUsage } from '../domain/reconciliation/provider-report.ts';
import { MalformedReport } from './source.ts';
import { DAY_MS } from '../domain/time/units.ts';

/** Maximum length of names and ids in reports. */
const WORD_CHARACTERS_MAX = 512;

export const word = z.string().max(WORD_CHARACTERS_MAX);
export const wordOrNull = word.nullish().transform((text) => text || null);
export const lowerOrNull = wordOrNull.transform((text) => text?.toLowerCase() ?? null);
export const count = z
  .int()
  .min(0)
  .nullish()
  .transform((number) => number ?? 0);

/** Parses a response by its shape and drops unknown members. Throws `MalformedReport`. */
export function readReportBody<Shape extends z.ZodType>(shape: Shape, body: unknown): z.output<Shape> {
  const read = shape.safeParse(body);
  if (read.success) return read.data;
  const where = read.error.issues[0]?.path.join('.') || 'whole body';
  throw new MalformedReport(`the response does not have the form of a report (${where.slice(0, 100)})`);
}

/** Returns a time that is the start of a UTC day. Throws `MalformedReport` for any other. */
export function parseDay(ms: number): number {
  if (Number.isFinite(ms) && ms % DAY_MS === 0) return ms;
  throw new MalformedReport('a bucket does not start at the beginning of a UTC day');
}

/** Returns the token of the next page; null = this is the last. Throws `MalformedReport` if the token is missing. */
export function nextPage(hasMore: boolean, next: string | null | undefined): string | null {
  if (!hasMore) return null;
  if (next) return next;
  throw new MalformedReport('the token of the next page is missing');
}

/** Returns the names of amounts above 0 that are not known. */
export function unknownAmounts(row: Readonly<Record<string, unknown>>, known: ReadonlySet<string>): string[] {
  return Object.entries(row).flatMap(([name, value]) =>
    typeof value === 'number' && value > 0 && !known.has(name) ? [name.slice(0, WORD_CHARACTERS_MAX)] : [],
  );
}

/** Combines rows that are equal except for their amounts, and leaves out rows without usage. */
export function combineUsage(rows: readonly ReportedUsage[]): ReportedUsage[] {
  const combined = new Map<string, ReportedUsage>();
  for (const row of rows) {
    const amounts = withoutZeros(row.amounts);
    if (Object.keys(amounts).length === 0 && !row.requests) continue;
    const { key, project, model, tier, context, geo, speed } = row;
    const words = JSON.stringify([key, project, model, tier, context, geo, speed]);
    const before = combined.get(words);
    combined.set(words, before ? addUsage(before, { ...row, amounts }) : { ...row, amounts });
  }
  return [...combined.values()];
}

function withoutZeros(amounts: ReportAmounts): ReportAmounts {
  return Object.fromEntries(Object.entries(amounts).filter(([, amount]) => amount > 0));
}

function addUsage(a: ReportedUsage, b: ReportedUsage): ReportedUsage {
  const amounts: ReportAmounts = { ...a.amounts };
  for (const name of Object.keys(b.amounts) as ReportClass[])
    amounts[name] = (amounts[name] ?? 0) + (b.amounts[name] ?? 0);
  return { ...a, amounts, requests: a.requests === null || b.requests === null ? null : a.requests + b.requests };
}

const FORM = /^(-?)(\d+)(?:\.(\d*))?(?:e([+-]?\d{1,3}))?$/i;
const DIGITS_MAX = 60;
const NANO_DIGITS = 9;

/** Returns an amount as exact decimal text: `1e-7` becomes `0.0000001`. Throws `MalformedReport` for anything else. */
export function decimalText(value: string | number): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = FORM.exec(String(value)) ?? [];
  if (whole === '' || whole.length + fraction.length > DIGITS_MAX)
    throw new MalformedReport('an amount is not a number');
  const point = whole.length + Number(exponent);
  const digits = `${whole}${fraction}`;
  const padded = point > 0 ? digits.padEnd(point, '0') : digits.padStart(digits.length - point + 1, '0');
  const at = Math.max(point, 1);
  const integer = padded.slice(0, at).replace(/^0+(?=\d)/, '');
  const rest = padded.slice(at).replace(/0+$/, '');
  return `${sign}${integer}${rest === '' ? '' : `.${rest}`}`;
}

/** Converts decimal text in a unit of 10^-digits US dollars to nano-USD, rounded half up once. */
export function nanoFromDecimal(text: string, unitDigits: number): number {
  const isNegative = text.startsWith('-');
  const [whole = '0', fraction = ''] = text.replace('-', '').split('.');
  const places = NANO_DIGITS - unitDigits;
  const kept = BigInt(whole + fraction.slice(0, places).padEnd(places, '0'));
  const nano = Number(kept + (Number(fraction[places] ?? '0') >= 5 ? 1n : 0n));
  if (!Number.isSafeInteger(nano)) throw new MalformedReport('an amount is larger than any bill');
  return isNegative && nano !== 0 ? -nano : nano;
}
