import { z } from 'zod';
import type { ReportAmounts, ReportClass, ReportedUsage } from '../domain/reconciliation/provider-report.ts';
import { MalformedReport } from './source.ts';
import { DAY_MS } from '../domain/time/units.ts';

/** Names and ids that reports hold; a longer one is none. */
const WORD_CHARACTERS_MAX = 512;

export const word = z.string().max(WORD_CHARACTERS_MAX);
export const wordOrNull = word.nullish().transform((text) => text || null);
export const lowerOrNull = wordOrNull.transform((text) => text?.toLowerCase() ?? null);
export const count = z
  .int()
  .min(0)
  .nullish()
  .transform((number) => number ?? 0);

/** An answer in its shape; what the shape does not name is kept out. Throws `MalformedReport`. */
export function readAnswer<Shape extends z.ZodType>(shape: Shape, body: unknown): z.output<Shape> {
  const read = shape.safeParse(body);
  if (read.success) return read.data;
  const where = read.error.issues[0]?.path.join('.') || 'its whole';
  throw new MalformedReport(`the answer does not have the form of a report (${where.slice(0, 100)})`);
}

/** A day's start. Throws `MalformedReport` for another time of day. */
export function parseDay(ms: number): number {
  if (Number.isFinite(ms) && ms % DAY_MS === 0) return ms;
  throw new MalformedReport('a bucket does not begin with a UTC day');
}

/** Where the next page begins. Throws `MalformedReport` where there is one and it is not said. */
export function nextPage(hasMore: boolean, next: string | null | undefined): string | null {
  if (!hasMore) return null;
  if (next) return next;
  throw new MalformedReport('there is a next page, and it is not said where');
}

/** Names of amounts above 0 that nobody here knows. */
export function unknownAmounts(row: Readonly<Record<string, unknown>>, known: ReadonlySet<string>): string[] {
  return Object.entries(row).flatMap(([name, value]) =>
    typeof value === 'number' && value > 0 && !known.has(name) ? [name.slice(0, WORD_CHARACTERS_MAX)] : [],
  );
}

/** Rows whose words are all equal become one; those without any use are left out. */
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
