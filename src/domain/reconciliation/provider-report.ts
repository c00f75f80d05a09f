import { TOKEN_CLASSES, USE_CLASSES } from '../usage/usage.ts';

/**
 * Provider reports in one form for all providers. A row covers one UTC day. Missing values are null, never 0; a missing
 * class was not used.
 */

/** Classes of usage: those of calls, and what only reports count. They never overlap. */
export const REPORT_CLASSES = [
  ...TOKEN_CLASSES,
  ...USE_CLASSES,
  'image',
  'speechCharacter',
  'transcriptionSecond',
  'storedByte',
] as const;
export type ReportClass = (typeof REPORT_CLASSES)[number];
export type ReportAmounts = Partial<Record<ReportClass, number>>;

export interface ReportedUsage {
  /** The provider's id of the API key; null = none was used (a console, a chat). */
  readonly key: string | null;
  /** The provider's own workspace or project; null = the organization's default. */
  readonly project: string | null;
  readonly model: string | null;
  /** Words of the provider, lower case. */
  readonly tier: string | null;
  readonly context: string | null;
  readonly geo: string | null;
  readonly speed: string | null;
  readonly amounts: ReportAmounts;
  readonly requests: number | null;
}

export interface ReportedCost {
  readonly key: string | null;
  readonly project: string | null;
  readonly model: string | null;
  readonly tier: string | null;
  readonly context: string | null;
  readonly geo: string | null;
  /** `tokens`, `web_search`, … as the provider says. */
  readonly kind: string | null;
  readonly class: ReportClass | null;
  /** The line of the bill. */
  readonly line: string | null;
  /** Exact decimal text in the provider's own unit. */
  readonly amount: string;
  /** For instance `USD cent`. */
  readonly unit: string;
  /** The same in nano-USD, rounded half up; null = it is in another currency. */
  readonly nanoUsd: number | null;
}

/**
 * Usage of a coding assistant by one person or key on one day. Other reports contain the same usage: never add them.
 */
export interface ReportedPerson {
  readonly actor: { readonly kind: 'user' | 'key'; readonly name: string };
  readonly customer: string | null;
  readonly subscription: string | null;
  readonly terminal: string | null;
  readonly isRemote: boolean | null;
  readonly sessions: number;
  readonly linesAdded: number;
  readonly linesRemoved: number;
  readonly commits: number;
  readonly pullRequests: number;
  /** Suggestions by tool. */
  readonly tools: Readonly<Record<string, { readonly accepted: number; readonly rejected: number }>>;
  readonly models: readonly PersonModel[];
}

interface PersonModel {
  readonly model: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** An estimate of the provider's, in its own unit. */
  readonly amount: string;
  readonly unit: string;
}

export const REPORT_NAME_KINDS = ['key', 'project', 'user'] as const;

/** Name of something that reports identify by an id. */
export interface ReportName {
  readonly kind: (typeof REPORT_NAME_KINDS)[number];
  readonly id: string;
  readonly name: string;
  /** First and last characters of a key, as the provider shows them; email address of a user. */
  readonly hint: string | null;
  /** Project of a key. */
  readonly project: string | null;
  readonly status: string | null;
}

/** The rows of one UTC day in one report. */
export type ReportDay = { /** Its start, epoch ms. */ readonly day: number } & ReportRows;
export type ReportRows =
  | { readonly kind: 'usage'; readonly rows: readonly ReportedUsage[] }
  | { readonly kind: 'cost'; readonly rows: readonly ReportedCost[] }
  | { readonly kind: 'people'; readonly rows: readonly ReportedPerson[] };

const RANGE = /^(\d+)(k|m)?-(\d+)(k|m)$/;
const UNITS: Readonly<Record<string, number>> = { k: 1_000, m: 1_000_000 };

/** Prompt lengths, in tokens: more than `above`, up to `upTo`. */
export interface ContextRange {
  readonly above: number;
  readonly upTo: number;
}

/** Parses a report's word for prompt lengths, such as `200k-1m`; null = none. */
export function contextRange(context: string | null): ContextRange | null {
  const [, from, fromUnit = '', to, toUnit = ''] = RANGE.exec(context ?? '') ?? [];
  if (!from || !to) return null;
  return { above: Number(from) * (UNITS[fromUnit] ?? 1), upTo: Number(to) * (UNITS[toUnit] ?? 1) };
}
