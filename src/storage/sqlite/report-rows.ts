import type {
  ReportAmounts,
  ReportClass,
  ReportedCost,
  ReportedPerson,
  ReportedUsage,
} from '../../domain/reconciliation/provider-report.ts';
import type { NameTable } from './names.ts';
import { number, numberOrNull, type ResultRow, text, textOrNull } from './row.ts';

/** Classes with a column of their own; the rest is rare and stands in `others` as JSON. */
const AMOUNT_COLUMNS = {
  input: 'input',
  cacheRead: 'cache_read',
  cacheWrite: 'cache_write',
  cacheWrite5m: 'cache_write_5m',
  cacheWrite1h: 'cache_write_1h',
  output: 'output',
  webSearch: 'web_searches',
} as const satisfies Partial<Record<ReportClass, string>>;
const AMOUNTS = Object.entries(AMOUNT_COLUMNS) as [keyof typeof AMOUNT_COLUMNS, string][];

type ReportColumns = Record<string, string | number | null>;

/** Columns that are numbers of names: read with their text under the same name. */
export const USAGE_WORDS = ['key', 'model', 'project', 'tier', 'context', 'geo', 'speed'] as const;
const COST_WORDS = ['key', 'model', 'project', 'tier', 'context', 'geo', 'kind', 'class', 'unit'] as const;

export function usageColumns(names: NameTable, row: ReportedUsage): ReportColumns {
  const others = Object.entries(row.amounts).filter(([name]) => !Object.hasOwn(AMOUNT_COLUMNS, name));
  return {
    ...Object.fromEntries(USAGE_WORDS.map((word) => [word, names.id(row[word])])),
    ...Object.fromEntries(AMOUNTS.map(([name, column]) => [column, row.amounts[name] ?? 0])),
    others: others.length === 0 ? null : JSON.stringify(Object.fromEntries(others)),
    requests: row.requests,
  };
}

export function toReportedUsage(row: ResultRow): ReportedUsage {
  const amounts: ReportAmounts = {};
  for (const [name, column] of AMOUNTS) {
    const amount = number(row, column);
    if (amount > 0) amounts[name] = amount;
  }
  const others = textOrNull(row, 'others');
  return {
    ...readNames(row, USAGE_WORDS),
    amounts: others === null ? amounts : { ...amounts, ...(JSON.parse(others) as ReportAmounts) },
    requests: numberOrNull(row, 'requests'),
  };
}

export function costColumns(names: NameTable, row: ReportedCost): ReportColumns {
  return {
    ...Object.fromEntries(COST_WORDS.map((word) => [word, names.id(row[word])])),
    description: row.line,
    amount: row.amount,
    nano_usd: row.nanoUsd,
  };
}

export function personColumns(_: NameTable, row: ReportedPerson): ReportColumns {
  return { person: JSON.stringify(row) };
}

export function toReportedPerson(row: ResultRow): ReportedPerson {
  return JSON.parse(text(row, 'person')) as ReportedPerson;
}

function readNames<Word extends string>(row: ResultRow, words: readonly Word[]): Record<Word, string | null> {
  return Object.fromEntries(words.map((word) => [word, textOrNull(row, word)])) as Record<Word, string | null>;
}
