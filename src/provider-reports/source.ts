import type { ReportDay, ReportName } from '../domain/reconciliation/provider-report.ts';

/**
 * Where an organization's reports come from: data and pure functions, no network and no clock. A provider is one file
 * and one line in `sources.ts`.
 */
export interface ReportSource {
  /** Id of the provider whose address and name apply. */
  readonly provider: string;
  /** Headers (lower-case names) that every request carries. */
  headers(key: string): Record<string, string>;
  /** Why this can't be an admin key: a sentence; null = it may be one. */
  refuseKey(key: string): string | null;
  /** A small request that only an admin key may make. */
  test(now: number): ReportRequest;
  /** Whose key it is, by what the test answered. Throws `MalformedReport`. */
  readOrganization(body: unknown, headers: Readonly<Record<string, unknown>>): ReportedOrganization;
  readonly reports: readonly ProviderReport[];
}

export interface ReportedOrganization {
  /** null = the provider does not say. */
  readonly id: string | null;
  readonly name: string | null;
}

export interface ReportRequest {
  /** Below the provider's address. */
  readonly path: string;
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly headers?: Readonly<Record<string, string>>;
}

export type ProviderReport = DatedReport | ListReport;

/** Days of usage, of costs or of people. */
export interface DatedReport {
  readonly kind: 'days';
  /** For instance `messages`; names what is kept. */
  readonly id: string;
  /** How often the days that may still change are read. */
  readonly everyMs: number;
  /** How far back it is read. */
  readonly backfillDays: number;
  /** Days that are asked for at once. */
  readonly windowDays: number;
  /** A day may go on on the next page; then `windowDays` is 1. */
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
  /** `projects`: ids of the projects that are known, sorted. null = there is nothing to ask for. */
  request(page: string | null, projects: readonly string[]): ReportRequest | null;
  read(body: unknown, page: string | null, projects: readonly string[]): NamesPage;
}

interface PageEnd {
  /** Where the next page begins; null = this is the last. */
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

/** An answer that can't be understood. Its sentence holds nothing of what was sent. */
export class MalformedReport extends Error {}
