import type { ReportDay, ReportName } from '../domain/reconciliation/provider-report.ts';

/**
 * Describes how to read an organization's reports: data and pure functions without network or clock. A provider is one
 * file and one line in `sources.ts`.
 */
export interface ReportSource {
  /** Id of the provider. */
  readonly provider: string;
  /** Returns the headers (lower-case names) of every request. */
  headers(key: string): Record<string, string>;
  /** Returns a sentence that says why this cannot be an admin key; null = it may be one. */
  refuseKey(key: string): string | null;
  /** Returns a small request that only an admin key may make. */
  test(now: number): ReportRequest;
  /** Reads the organization from the response to the test. Throws `MalformedReport`. */
  readOrganization(body: unknown, headers: Readonly<Record<string, unknown>>): ReportedOrganization;
  readonly reports: readonly ProviderReport[];
}

export interface ReportedOrganization {
  /** null = the provider does not say. */
  readonly id: string | null;
  readonly name: string | null;
}

export interface ReportRequest {
  /** Path below the provider's URL. */
  readonly path: string;
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly headers?: Readonly<Record<string, string>>;
}

export type ProviderReport = DatedReport | ListReport;

/** Days of usage, of costs or of people. */
export interface DatedReport {
  readonly kind: 'days';
  /** Name under which the report is stored, for example `messages`. */
  readonly id: string;
  /** Interval at which days that may still change are read. */
  readonly everyMs: number;
  /** Number of past days that are read. */
  readonly backfillDays: number;
  /** Days per request. */
  readonly windowDays: number;
  /** A day may continue on the next page; then `windowDays` is 1. */
  readonly splitsDays: boolean;
  request(window: DayWindow, page: string | null): ReportRequest;
  /** Throws `MalformedReport`. */
  read(body: unknown, window: DayWindow): DaysPage;
}

/** Starts of UTC days, half-open. */
export interface DayWindow {
  readonly start: number;
  readonly end: number;
}

/** Names of keys, projects and users. */
export interface ListReport {
  readonly kind: 'names';
  readonly id: string;
  readonly everyMs: number;
  /** `projects`: sorted ids of the known projects. Returns null if there is nothing to request. */
  request(page: string | null, projects: readonly string[]): ReportRequest | null;
  read(body: unknown, page: string | null, projects: readonly string[]): NamesPage;
}

interface PageEnd {
  /** Token of the next page; null = this is the last. */
  readonly next: string | null;
}

export interface DaysPage extends PageEnd {
  readonly days: readonly ReportDay[];
  /** Amounts above 0 that this version has no class for, by the provider's name. */
  readonly unknown: readonly string[];
}

export interface NamesPage extends PageEnd {
  readonly names: readonly ReportName[];
}

/** Thrown for a response that cannot be understood. Its message contains nothing of the response. */
export class MalformedReport extends Error {}
