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

/** Progress of a connection in reading one report. */
export interface ReportState {
  /**
   * Grows with every page. A page that was requested before another one was stored is discarded. 0 = nothing was
   * read.
   */
  readonly revision: number;
  /** Days to read: `[goal, top)`, starts of UTC days. */
  readonly goal: number;
  readonly top: number;
  /** Days from here to `top` are stored; the rest follows, newest first. */
  readonly doneFrom: number;
  /** Days before this were read, including those since `top`. */
  readonly doneTo: number;
  /** Start of the next page, in the days `[start, end)` or in a list. null = at the beginning. */
  readonly cursor: ReportCursor | null;
  /** Time at which all days that may still change were last read; 0 = never. */
  readonly readAt: number;
}

export interface ReportCursor {
  readonly start: number;
  readonly end: number;
  readonly page: string;
}

/** One page of one report and the next position. Both are stored together. */
export interface ReportPage {
  readonly connectionId: string;
  readonly report: string;
  readonly readAt: number;
  /** Complete days, which replace what was stored. */
  readonly days: readonly ReportDay[];
  /** The days continue the previous page: their rows are added. */
  readonly goesOn: boolean;
  readonly names: readonly ReportName[];
  /** State after this page; its revision is the one before. */
  readonly state: ReportState;
}

/** A stored day of a report. */
export interface StoredDay<Row> {
  readonly day: number;
  readonly rows: readonly Row[];
}

/** Usage of one key and model on one UTC day, in one report. */
export interface ReportCell {
  readonly day: number;
  readonly key: string | null;
  readonly model: string | null;
  readonly rows: readonly ReportedPart[];
}

/**
 * Provider reports, read with admin keys. Rows live as long as their connection. A report is named by its provider
 * (`messages`). A provider has at most one report of costs and one of people, and any number of usage reports.
 */
export interface ProviderReportStore {
  states(connectionId: string): Promise<ReadonlyMap<string, ReportState>>;
  /**
   * Stores a page in one transaction; false = another page of this report was stored since `state.revision`, and
   * nothing changed.
   */
  keep(page: ReportPage): Promise<boolean>;
  /** Returns usage by day, over all usage reports. Days without rows are left out. */
  usage(connectionId: string, range: Period): Promise<StoredDay<ReportedUsage>[]>;
  /**
   * Returns usage by day, key and model, unsorted and without fields that don't affect the price. Fast for many rows.
   */
  cells(connectionId: string, range: Period): Promise<ReportCell[]>;
  costs(connectionId: string, range: Period): Promise<StoredDay<ReportedCost>[]>;
  people(connectionId: string, range: Period): Promise<StoredDay<ReportedPerson>[]>;
  names(connectionId: string): Promise<ReportName[]>;
  /** Deletes at most `limit` rows of a connection; returns how many. */
  drop(connectionId: string, limit: number): Promise<number>;
}

/** Sorts rows by content, so that equal days are equal in any order. */
export function sortRows<Row>(rows: readonly Row[]): Row[] {
  return rows
    .map((row) => ({ row, text: JSON.stringify(row) }))
    .toSorted((a, b) => (a.text < b.text ? -1 : Number(a.text > b.text)))
    .map(({ row }) => row);
}

/** Returns a digest that is equal for equal days. */
export function digestReportDay({ kind, rows }: ReportRows): string {
  return hash('sha256', JSON.stringify([kind, sortRows<unknown>(rows)]), 'base64url');
}
