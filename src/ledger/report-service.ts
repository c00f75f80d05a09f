import type { ProviderReportService, ReadTime, ReportProgress } from '../api/provider-reports.ts';
import {
  addCoverage,
  type ConnectionState,
  NO_COVERAGE,
  throughGatewayShare,
} from '../domain/reconciliation/coverage.ts';
import { TollbookError } from '../domain/errors.ts';
import { usdFromNano } from '../domain/money/money.ts';
import { isCustomVersion } from '../domain/pricing/provenance.ts';
import type { UnresolvedCalls } from '../domain/reconciliation/unresolved-calls.ts';
import { LOOKED_DAYS } from '../jobs/resolve-uncertain-calls.ts';
import type { Clock } from '../lib/clock.ts';
import type { Provider } from '../providers/provider.ts';
import type { PriceBook } from '../prices/price-book.ts';
import { type AskProvider, createAskProvider } from '../provider-reports/ask-provider.ts';
import { compareDays, type ComparedDays, type ReportedDays } from '../provider-reports/compare-days.ts';
import { backfillProgress, findReadDays } from '../provider-reports/sync-plan.ts';
import type { ReportedOrganization } from '../provider-reports/source.ts';
import { REPORTING_PROVIDERS, findReportSource } from '../provider-reports/sources.ts';
import type { ReportEndpoint } from '../provider-reports/read-reports.ts';
import { testAdminKey } from '../provider-reports/test-admin-key.ts';
import type { AdminKey } from '../storage/records/admin-keys.ts';
import type { Records } from '../storage/records/records.ts';
import type { LedgerStore } from '../storage/store.ts';
import { VERSION } from '../version.ts';
import { DAY_MS } from '../domain/time/units.ts';
import type { Period } from '../domain/time/period.ts';

/** No workspace, for list prices: a wrong custom price would agree with itself. */
const NO_WORKSPACE = '';
/** Keys of an organization with a stored reason for unresolved calls. */
const UNRESOLVED_KEYS_MAX = 1_000;
/** Days in the shown coverage. */
const COVERED_DAYS = 30;

interface ReportServiceParts {
  readonly store: Pick<LedgerStore, 'reports' | 'providerReports' | 'unproxiedUsage'>;
  readonly records: Pick<Records, 'keys' | 'workspaces'>;
  readonly prices: Pick<PriceBook, 'resolve'>;
  readonly providers: ReadonlyMap<string, Provider>;
  readonly clock: Clock;
  /** Pokes the sync job; false = no jobs run here. */
  readonly poke: () => boolean;
}

/** Serves syncs, coverage and reconciliation of provider reports. */
export class ReportService implements ProviderReportService {
  readonly #parts: ReportServiceParts;
  readonly ask: AskProvider = createAskProvider(`tollbook/${VERSION}`);
  /** Ids of admin keys that a user asked to sync now. */
  readonly syncRequested = new Set<string>();
  /** Unresolved calls by admin key, then by key. */
  readonly #unresolved = new Map<string, ReadonlyMap<string, UnresolvedCalls> | 'unread'>();

  constructor(parts: ReportServiceParts) {
    this.#parts = parts;
  }

  endpointFor(provider: string): ReportEndpoint | null {
    const source = findReportSource(provider);
    const known = this.#parts.providers.get(provider);
    return source && known ? { source, url: known.url, name: known.name } : null;
  }

  async identifyOrganization(provider: string, key: string): Promise<ReportedOrganization> {
    const endpoint = this.endpointFor(provider);
    if (endpoint) return await testAdminKey(endpoint, key, this.ask, this.#parts.clock());
    const known = REPORTING_PROVIDERS.join(' and ');
    throw new TollbookError(
      'invalid',
      `There are reports of ${known}; "${provider.slice(0, 100)}" has none.`,
      'provider',
    );
  }

  async progress({ id, workspaceId, provider }: AdminKey): Promise<ReportProgress> {
    const source = findReportSource(provider);
    if (!source) return { days: 0, of: 0, readAt: null, coverage: NO_COVERAGE };
    const { providerReports, unproxiedUsage } = this.#parts.store;
    const states = await providerReports.states(id);
    const end = findReadDays(source, states)?.closedBefore ?? 0;
    const days = await unproxiedUsage.coverage(workspaceId, { start: end - COVERED_DAYS * DAY_MS, end });
    const [first] = source.reports;
    return {
      ...backfillProgress(source, states),
      readAt: (first && states.get(first.id)?.readAt) || null,
      coverage: days
        .filter(({ connectionId }) => connectionId === id)
        .map(({ coverage }) => coverage)
        .reduce(addCoverage, NO_COVERAGE),
    };
  }

  async stateOf(key: AdminKey): Promise<ConnectionState> {
    const { readAt, coverage } = await this.progress(key);
    const { id, provider, pausedAt, problem } = key;
    const isOn = pausedAt === null && problem === null;
    return {
      id,
      provider,
      isOn,
      readAt,
      throughGatewayShare: throughGatewayShare(coverage),
      unproxiedUsd: usdFromNano(coverage.unproxied),
    };
  }

  async readTime({ id, provider }: AdminKey): Promise<ReadTime | null> {
    const { providerReports, unproxiedUsage } = this.#parts.store;
    const source = findReportSource(provider);
    const days = source && findReadDays(source, await providerReports.states(id));
    if (!days) return null;
    const { start, end, closedBefore } = days;
    const openDays = new Set(await unproxiedUsage.openDays(id));
    for (let day = Math.max(start, closedBefore); day < end; day += DAY_MS) openDays.add(day);
    return { start, end, openDays };
  }

  readonly compare = async (key: AdminKey, period: Period): Promise<ComparedDays | null> => {
    const { records, prices, providers, store } = this.#parts;
    const { reports, providerReports } = store;
    const reported = await this.#reported(key, period);
    if (!reported || reported.range.start >= reported.range.end) return null;
    const priceProvider = providers.get(key.provider)?.priceProvider ?? key.provider;
    return await compareDays(key, reported, {
      records,
      reports,
      cells: (day) => providerReports.cells(key.id, { start: day, end: day + DAY_MS }),
      resolve: (model, day) => prices.resolve(NO_WORKSPACE, priceProvider, model, day),
      isOwnPrice: (workspaceId, model, day) =>
        isCustomVersion(prices.resolve(workspaceId, priceProvider, model, day)?.version ?? ''),
    });
  };

  async #reported({ id, provider }: AdminKey, period: Period): Promise<ReportedDays | null> {
    const { providerReports: reports } = this.#parts.store;
    const source = findReportSource(provider);
    const days = source && findReadDays(source, await reports.states(id));
    if (!days) return null;
    const range = { start: Math.max(period.start, days.start), end: Math.min(period.end, days.end) };
    const [costs, names] = [await reports.costs(id, range), await reports.names(id)];
    return { range, readFrom: days.start, closedBefore: days.closedBefore, costs, names };
  }

  /** Saves the last result for uncertain calls; `unread` = required days are not read yet. */
  saveUnresolved(adminKeyId: string, found: ReadonlyMap<string, UnresolvedCalls> | 'unread'): void {
    this.#unresolved.set(adminKeyId, found === 'unread' ? found : new Map([...found].slice(0, UNRESOLVED_KEYS_MAX)));
  }

  unresolvedCalls(adminKeyId: string, key: string, range: Period): UnresolvedCalls | null {
    const now = this.#parts.clock();
    const lookedFrom = now - (now % DAY_MS) - LOOKED_DAYS * DAY_MS;
    if (range.end <= lookedFrom) return { why: 'old', day: lookedFrom };
    const found = this.#unresolved.get(adminKeyId);
    return found === 'unread' ? { why: 'unread', day: range.start } : (found?.get(key) ?? null);
  }

  start(): void {
    this.#parts.poke();
  }

  sync(id: string): boolean {
    const runs = this.#parts.poke();
    if (runs) this.syncRequested.add(id);
    return runs;
  }
}
