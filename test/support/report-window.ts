import type { HeldProviderKey } from '../../src/domain/reconciliation/held-keys.ts';
import type { ReportDay, ReportName } from '../../src/domain/reconciliation/provider-report.ts';
import { DAY_MS, HOUR_MS } from '../../src/domain/time/units.ts';
import { sumTotals } from '../../src/domain/usage/usage-totals.ts';
import { resolveUncertainCallsJob } from '../../src/jobs/resolve-uncertain-calls.ts';
import { createLog } from '../../src/lib/log.ts';
import { type ReportContext, readReportContext, readUnproxiedReports } from '../../src/api/usage/reported-usage.ts';
import { sessionUsage } from '../../src/api/usage/session-usage.ts';
import { unproxiedSeries } from '../../src/api/usage/unproxied-series.ts';
import { ReportService } from '../../src/ledger/report-service.ts';
import type { DatedReport } from '../../src/provider-reports/source.ts';
import { findReportSource } from '../../src/provider-reports/sources.ts';
import { updateUnproxiedUsage } from '../../src/provider-reports/unproxied-days.ts';
import type { LedgerStore } from '../../src/storage/store.ts';
import type { Records } from '../../src/storage/records/records.ts';
import type { AdminKey } from '../../src/storage/records/admin-keys.ts';
import { ADMIN_KEY, type Fact, OPENAI_ADMIN_KEY, Organization } from '../doubles/admin-api.ts';
import { FIRST_DAY, WHOLE } from './arbitrary-entry.ts';
import { CARD, WINDOW_PRICING } from './four-windows.ts';

/** The reported key that is also wrapped, and one that never was. */
export const WRAPPED = 'apikey_wrapped';
export const DIRECT = 'apikey_direct';
const PROVIDER_KEY = 'sk-ant-api03-R2D-never-shown-0123456789-igAA';
const HINTS = { [WRAPPED]: 'sk-ant-api03-R2D...igAA', [DIRECT]: 'sk-ant-api03-XYZ...zzzz' };
const HELD: HeldProviderKey = {
  id: 'held_1',
  key: PROVIDER_KEY,
  fingerprint: null,
  ends: null,
  lastFour: 'igAA',
  wrappedKeyIds: ['key_1'],
  heldSince: 0,
  heldUntil: null,
};
/** Days read before the first one, which the correction of uncertain calls needs. */
const READ_DAYS = 40;
const WORKSPACE = { name: 'test', timeZone: 'UTC', retentionDays: 400, createdAt: 0 };
const ADMIN = {
  name: 'admin',
  fingerprint: '',
  lastFour: '',
  organizationId: null,
  organizationName: null,
  createdAt: 0,
  pausedAt: null,
  pausedReason: null,
  nextAt: 0,
  failures: 0,
  problem: null,
};
const NO_PLANS = { subscriptions: [], timeZone: 'UTC' };
/** At these times of reading, the first day is not final, and final. */
export const READ_OPEN = FIRST_DAY + DAY_MS / 2;
export const READ_CLOSED = FIRST_DAY + 3.5 * DAY_MS;

/** Reports of a workspace's organization on the first day, and what the workspace owes with them. */
export class ReportWindow {
  readonly #store: LedgerStore;
  readonly #key: AdminKey;
  readonly #organization: Organization;
  readonly #names: ReportName[];
  readonly #records: Records;
  readonly #service: ReportService;
  readonly #compared = new Map<string, string>();
  #revision = 0;
  #now = READ_OPEN;

  /** @param isHinted the report shows characters of its keys */
  constructor(store: LedgerStore, records: Records, of: Pick<AdminKey, 'workspaceId' | 'provider'>, isHinted: boolean) {
    const provider = of.provider === 'anthropic' ? 'anthropic' : 'openai';
    this.#store = store;
    this.#key = { ...ADMIN, ...of, id: `ak_${of.workspaceId}` };
    this.#organization = new Organization({ provider });
    this.#names = Object.entries(HINTS).map(([id, hint]) => {
      return { kind: 'key', id, name: id, hint: isHinted ? hint : null, project: null, status: null };
    });
    this.#records = {
      ...records,
      keys: { ...records.keys, heldKeys: async () => [HELD] },
      workspaces: { ...records.workspaces, list: async () => [{ id: of.workspaceId, ...WORKSPACE }] },
      adminKeys: { ...records.adminKeys, list: async () => [this.#key] },
    };
    this.#service = new ReportService({
      store,
      records: this.#records,
      prices: { resolve: () => CARD },
      providers: new Map(),
      clock: () => this.#now,
      poke: () => false,
    });
  }

  /** Stores what the organization states at a time. */
  async read(facts: readonly Fact[], readAt: number): Promise<void> {
    const { provider, id: connectionId } = this.#key;
    this.#now = readAt;
    this.#organization.facts = [...facts];
    const top = READ_CLOSED - (READ_CLOSED % DAY_MS) + DAY_MS;
    const doneTo = readAt - (readAt % DAY_MS) + DAY_MS;
    const first = FIRST_DAY - READ_DAYS * DAY_MS;
    const state = { goal: first, top, doneFrom: first, doneTo, cursor: null, readAt, revision: this.#revision };
    for (const report of findReportSource(provider)?.reports ?? []) {
      if (report.kind !== 'days' || report.splitsDays) continue;
      const days = this.#ask(report);
      const page = { connectionId, report: report.id, readAt, goesOn: false, names: this.#names };
      await this.#store.providerReports.keep({ ...page, days, state });
    }
    this.#revision += 1;
  }

  /** Asks for the first day. The bill has list prices, so its lines tell nothing. */
  #ask(report: DatedReport): readonly ReportDay[] {
    const window = { start: FIRST_DAY, end: FIRST_DAY + DAY_MS };
    const { path, query } = report.request(window, null);
    const keys = { 'x-api-key': ADMIN_KEY, authorization: `Bearer ${OPENAI_ADMIN_KEY}` };
    const reply = this.#organization.ask(
      path,
      new URLSearchParams(query.map(([name, value]): [string, string] => [name, value])),
      keys,
    );
    if (reply === 'hang up' || reply.status !== 200) throw new Error(`The double does not have ${path}.`);
    const { days } = report.read(JSON.parse(reply.text), window);
    return days.map((day) => (day.kind === 'cost' ? Object.assign(day, { rows: [] }) : day));
  }

  /** Does what the jobs do after a report or a call arrived. */
  async compute(): Promise<void> {
    const parts = { ...this.#store, records: this.#records, cardOf: () => CARD };
    await updateUnproxiedUsage(parts, this.#key, this.#compared, new AbortController().signal);
    const job = resolveUncertainCallsJob({
      ...parts,
      compare: this.#service.compare,
      clock: () => this.#now,
      log: createLog({ level: 'silent', destination: { write: () => undefined } }),
      shippedUntil: () => Promise.resolve(Infinity),
      resolved: () => undefined,
      saveUnresolved: () => undefined,
      runner: 'test/run',
    });
    await job.run(new AbortController().signal);
    await updateUnproxiedUsage(parts, this.#key, this.#compared, new AbortController().signal);
  }

  /** Returns the cost of all usage, as the summary has it, nano-USD. */
  async owed(): Promise<bigint> {
    const { workspaceId } = this.#key;
    const { reports, sessions, unproxiedUsage } = this.#store;
    const context = await this.#context();
    const rest = await readUnproxiedReports(unproxiedUsage, workspaceId, WHOLE, context);
    const local = await sessionUsage(sessions, workspaceId, NO_PLANS, WHOLE, context, rest.open);
    const { total } = await reports.summary(workspaceId, WHOLE);
    return total.cost + sumTotals([...local.owed, ...rest.owed]).cost;
  }

  /** Returns the same, from a series by hours. */
  async owedByHour(): Promise<bigint> {
    const { workspaceId } = this.#key;
    const buckets = Array.from(
      { length: (WHOLE.end - WHOLE.start) / HOUR_MS },
      (_, hour) => FIRST_DAY + hour * HOUR_MS,
    );
    const asked = { ...this.#store, plans: NO_PLANS, context: await this.#context(), workspaceId };
    const { owed } = await unproxiedSeries({ ...asked, range: WHOLE, buckets, by: null, filter: {} });
    const { total } = await this.#store.reports.summary(workspaceId, WHOLE);
    return total.cost + sumTotals(owed).cost;
  }

  #context(): Promise<ReportContext> {
    const parts = { records: this.#records, providerReports: this.#service, pricingOf: () => WINDOW_PRICING };
    return readReportContext(parts, this.#key.workspaceId);
  }
}
