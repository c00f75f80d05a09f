import type {
  ReportDay,
  ReportedCost,
  ReportedPerson,
  ReportedUsage,
  ReportName,
  ReportRows,
} from '../domain/reconciliation/provider-report.ts';
import type { ReportedPart } from '../domain/reconciliation/residual.ts';
import { hash } from 'node:crypto';
import type { Period } from '../domain/time/period.ts';

/** What a connection's admin key has read of one report, and where it goes on. */
export interface ReportState {
  /** Grows with every page; a page that was asked for before another one was kept is not kept. 0 = nothing was read. */
  readonly revision: number;
  /** The days that are asked for: `[goal, top)`, starts of UTC days. */
  readonly goal: number;
  readonly top: number;
  /** Days from here to `top` are there; the rest follows, newest first. */
  readonly doneFrom: number;
  /** Days before this were read, those since `top` too. */
  readonly doneTo: number;
  /** Where the next page begins, of the days `[start, end)` under way or of a list. null = at the beginning. */
  readonly cursor: ReportCursor | null;
  /** When what may still change was last read to its end; 0 = never. */
  readonly readAt: number;
}

export interface ReportCursor {
  readonly start: number;
  readonly end: number;
  readonly page: string;
}

/** One page of one report with what comes next: in the book together, or not at all. */
export interface ReportPage {
  readonly connectionId: string;
  readonly report: string;
  readonly readAt: number;
  /** Days that this page holds whole: they replace what was there. */
  readonly days: readonly ReportDay[];
  /** The days go on where the page before ended: their rows are added. */
  readonly goesOn: boolean;
  readonly names: readonly ReportName[];
  /** The state after it; its revision is the one before. */
  readonly state: ReportState;
}

/** A day of a report as it is kept. */
export interface StoredDay<Row> {
  readonly day: number;
  readonly rows: readonly Row[];
}

/** What one report says of one key and model on one UTC day. */
export interface ReportCell {
  readonly day: number;
  readonly key: string | null;
  readonly model: string | null;
  readonly rows: readonly ReportedPart[];
}

/**
 * Reports read with organization admin keys. A connection's rows live as long as it does. A report is a name of its
 * provider's (`messages`); a provider has one of costs and one of people at most, and any number of usage.
 */
export interface ProviderReportStore {
  states(connectionId: string): Promise<ReadonlyMap<string, ReportState>>;
  /** In one transaction; false = another page of this report was kept since `state.revision`, and nothing was. */
  keep(page: ReportPage): Promise<boolean>;
  /** By day, of all its usage reports together; a day without rows is left out. */
  usage(connectionId: string, range: Period): Promise<StoredDay<ReportedUsage>[]>;
  /** The same by day, key and model, unsorted and without what a price does not depend on: fast where rows are many. */
  cells(connectionId: string, range: Period): Promise<ReportCell[]>;
  costs(connectionId: string, range: Period): Promise<StoredDay<ReportedCost>[]>;
  people(connectionId: string, range: Period): Promise<StoredDay<ReportedPerson>[]>;
  names(connectionId: string): Promise<ReportName[]>;
  /** Deletes at most `limit` rows of a connection; returns how many. */
  drop(connectionId: string, limit: number): Promise<number>;
}

/** Rows in an order of their own, so that equal days are equal whatever the order they came in. */
export function sortRows<Row>(rows: readonly Row[]): Row[] {
  return rows
    .map((row) => ({ row, text: JSON.stringify(row) }))
    .toSorted((a, b) => (a.text < b.text ? -1 : Number(a.text > b.text)))
    .map(({ row }) => row);
}

/** Equal for equal days. */
export function digestReportDay({ kind, rows }: ReportRows): string {
  return hash('sha256', JSON.stringify([kind, sortRows<unknown>(rows)]), 'base64url');
}
