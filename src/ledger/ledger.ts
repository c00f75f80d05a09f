import { mkdirSync } from 'node:fs';
import { Accounts } from '../accounts/accounts.ts';
import { createApi, type Transport } from '../api/api.ts';
import { LiveStreams } from '../api/live-streams.ts';
import type { GatewayNotices } from '../api/gateway-notices.ts';
import type { Services } from '../api/services.ts';
import { type Config, LIMITS } from '../config.ts';
import type { Alert } from '../domain/alerts/alert.ts';
import type { CounterMove, Limit, CounterStatus } from '../domain/limits/limit.ts';
import { ChangedPrices, customPricesJob, unpricedJob } from '../jobs/reprice.ts';
import { pruneCountersJob, recountJob, releaseUncertainJob } from '../jobs/limit-counters.ts';
import { deliveryJob, pruneDeliveriesJob } from '../jobs/deliveries.ts';
import { endAlertsJob } from '../jobs/end-alerts.ts';
import { detectAnomaliesJob } from '../jobs/detect-anomalies.ts';
import { forecastLimitsJob } from '../jobs/forecast-limits.ts';
import { pruneEntriesJob } from '../jobs/prune.ts';
import { refreshPricesJob } from '../jobs/refresh-prices.ts';
import {
  REPRICE_UNPROXIED_USAGE,
  COMPUTE_UNPROXIED_USAGE,
  markUnproxiedUsage,
} from '../jobs/compute-unproxied-usage.ts';
import { RESOLVE_UNCERTAIN_CALLS } from '../jobs/resolve-uncertain-calls.ts';
import { SYNC_REPORTS } from '../jobs/sync-provider-reports.ts';
import { type Job, startSchedule, type Schedule } from '../jobs/schedule.ts';
import { sendDigestsJob } from '../jobs/send-digests.ts';
import { pruneSessionUseJob, computeSessionsJob } from '../jobs/sessions.ts';
import { watchRateLimitsJob } from '../jobs/watch-rate-limits.ts';
import { Detector } from '../detection/detector.ts';
import { readOverrun } from '../limits/alerts.ts';
import { type Clock, systemUptime } from '../lib/clock.ts';
import type { HostLookup } from '../lib/http/guarded-lookup.ts';
import { newId } from '../lib/crypto/id.ts';
import type { Log } from '../lib/log.ts';
import type { SiteFiles } from '../lib/http/site-files.ts';
import { createPriceBook, type PriceBook } from '../prices/price-book.ts';
import type { PriceFile } from '../prices/price-rows.ts';
import type { Provider } from '../providers/provider.ts';
import { buildProviders } from '../providers/providers.ts';
import type { StorageEngine } from '../storage/engine.ts';
import { openEngine } from '../storage/open.ts';
import { openRecords, type Records } from '../storage/records/records.ts';
import type { LedgerStore } from '../storage/store.ts';
import { VERSION } from '../version.ts';
import { createEntryAppender, withCounterEvents, withSessionComputing } from './append-entries.ts';
import { type FetchedPrices, saveFetchedPrices, readFetchedPrices } from './fetched-prices.ts';
import { DeliveryService } from './delivery-service.ts';
import { createDigestService } from './digest-service.ts';
import { dataFiles, type DataFiles } from './data-folder.ts';
import { jobClock } from './job-clock.ts';
import { LimitService } from './limit-service.ts';
import type { AlertMessage, LedgerSnapshot, MessageToGateway } from '../ipc/messages.ts';
import { unreadableKeyAlert } from './unreadable-key-alert.ts';
import { createOperations } from './operations.ts';
import { LazyTools, TOOLS_PATH } from './tools-transport.ts';
import { ReportService } from './report-service.ts';
import { reportJobs } from './report-jobs.ts';
import { publishAlerts, withLiveEvents } from './live-events.ts';
import type { StoredAlert } from '../storage/records/alerts.ts';
import type { EntryStore } from '../storage/entry-store.ts';
import type { PricedAs } from '../storage/counter-store.ts';
import type { SessionPricing } from '../storage/session-store.ts';

const PRIVATE_FOLDER = 0o700;

export interface LedgerOptions {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  readonly demo?: boolean;
  /** Resolves the names of webhooks. Default: the system's lookup. */
  readonly lookup?: HostLookup;
  /** The built dashboard. Default: none. */
  readonly site?: SiteFiles | null;
  /** Sends changes to the gateway. Default: no gateway. */
  readonly sendToGateway?: (message: MessageToGateway) => void;
}

/** Opens the ledger of a data folder, which is created if missing. Throws a `TollbookError` that says what to do. */
export async function openLedger(options: LedgerOptions): Promise<Ledger> {
  const { config, clock } = options;
  const files = dataFiles(config.dataDir);
  mkdirSync(files.folder, { recursive: true, mode: PRIVATE_FOLDER });
  // If calls must survive a power loss, so must records: a revoked key stays revoked.
  const { databaseUrl, journalSync: synchronous } = config;
  const engine = await openEngine({ databaseUrl, file: files.database, synchronous });
  try {
    const records = await openRecords({ db: engine.db, dataDir: files.folder, secret: config.secret, clock });
    const prices = createPriceBook({ userCards: await records.prices.all() });
    const ledger = new Ledger(options, files, engine, records, prices);
    await ledger.reloadProviders();
    return ledger;
  } catch (error) {
    await engine.close();
    throw error;
  }
}

/** The ledger thread's parts: store, records, endpoints and jobs. */
export class Ledger {
  readonly files: DataFiles;
  readonly records: Records;
  readonly store: LedgerStore;
  readonly prices: PriceBook;
  /** Receives ended calls from the journal. */
  readonly shipping: Pick<EntryStore, 'append' | 'mark'>;
  readonly limits: LimitService;
  readonly deliveries: DeliveryService;
  readonly #live: LiveStreams;
  readonly #organizations: ReportService;
  readonly #options: LedgerOptions;
  readonly #engine: StorageEngine;
  readonly #providers = new Map<string, Provider>();
  readonly #services: Services;
  readonly #api: ReturnType<typeof createApi>;
  readonly #tools: LazyTools;
  readonly #changedPrices = new ChangedPrices();
  #refreshedPrices: readonly PriceFile[] = [];
  #schedule: Schedule | null = null;

  constructor(options: LedgerOptions, files: DataFiles, engine: StorageEngine, records: Records, prices: PriceBook) {
    this.#options = options;
    this.#engine = engine;
    this.files = files;
    this.records = records;
    this.prices = prices;
    this.store = engine.store;
    this.#useRefreshed(readFetchedPrices(files.prices, options.config.pricesUrl, options.log));
    const { sendToGateway: toGate = null, clock } = options;
    const pricedAs = (workspaceId: string): PricedAs => this.#pricedAs(workspaceId);
    this.limits = new LimitService({ ...engine.store, records, clock, pricedAs, tellGate: toGate });
    this.deliveries = new DeliveryService({ ...options, records });
    this.#live = new LiveStreams(clock);
    this.#organizations = new ReportService({
      store: engine.store,
      records,
      prices,
      providers: this.#providers,
      clock,
      poke: () => {
        this.#schedule?.poke(SYNC_REPORTS);
        return this.#schedule !== null;
      },
    });
    this.#services = this.#servicesOf();
    this.#api = createApi(this.#services);
    this.#tools = new LazyTools(this.#services, this.#api);
    const raise = (alert: Alert): Promise<void> => this.raise(alert);
    const booking = createEntryAppender({ ...this.#services, priceCards: records.priceCards, raise });
    this.shipping = withLiveEvents(withSessionComputing(booking, this.#services), this.#live);
  }

  fetch(request: Request, door: Transport): Response | Promise<Response> {
    if (new URL(request.url).pathname === TOOLS_PATH) return this.#tools.fetch(request);
    return this.#api.fetch(request, door);
  }

  /**
   * Returns the gateway's initial state. A provider key that can't be decrypted raises an alert and does not affect
   * others.
   */
  async snapshot(): Promise<LedgerSnapshot> {
    const { keys, tokens, prices, providers } = this.records;
    const gateKeys = await keys.listForGateway();
    for (const key of gateKeys)
      if (key.providerKey === '') await this.raise(unreadableKeyAlert(key, this.#options.clock()));
    return {
      keys: gateKeys,
      tokenHashes: await tokens.hashes(),
      userCards: await prices.all(),
      refreshedPrices: this.#refreshedPrices,
      customProviders: await providers.list(),
      limits: await this.limits.snapshot(),
    };
  }

  /** Stores an alert once per episode and logs it. */
  async raise(alert: Alert): Promise<void> {
    const raised = await this.records.alerts.raise(alert);
    if (raised) this.#alertsRaised([raised]);
  }

  #alertsRaised(alerts: readonly StoredAlert[]): void {
    for (const { type, scope, message } of alerts) this.#options.log.warn({ alert: type, scope }, message);
    // Also sends ends.
    this.deliveries.start();
    publishAlerts(alerts, 'raised', this.#services);
  }

  /** Stores alerts of the gateway and their ends. */
  async receiveAlert(message: AlertMessage): Promise<void> {
    if (message.type === 'alert') return await this.raise(message.alert);
    const over = await this.records.alerts.resolve(message.workspaceId, message.episode, this.#options.clock());
    if (!over) return;
    this.deliveries.start();
    publishAlerts([over], 'resolved', this.#services);
  }

  async reloadProviders(): Promise<void> {
    const custom = await this.records.providers.list();
    this.#providers.clear();
    for (const [id, provider] of buildProviders({ urls: this.#options.config.providerUrls, custom }))
      this.#providers.set(id, provider);
  }

  async startJobs(): Promise<void> {
    // Earlier processes on this folder have ended: a folder has one owner.
    await this.records.deliveries.freeAll();
    await this.records.jobs.freeAll();
    this.#schedule = startSchedule(this.#jobs(), this.#options.log);
    this.#schedule.poke('unpriced');
    this.#schedule.poke('sessions');
    this.#schedule.poke(SYNC_REPORTS);
    this.#schedule.poke(REPRICE_UNPROXIED_USAGE);
    // A report may have resolved calls just before the last process ended.
    this.#schedule.poke(RESOLVE_UNCERTAIN_CALLS);
    // Prices may have changed while no process ran.
    this.#schedule.poke('refresh_prices');
  }

  async close(): Promise<void> {
    this.#live.close();
    await this.#schedule?.close();
    await this.deliveries.close();
    await this.#tools.close();
    await this.#engine.close();
  }

  #useRefreshed({ files, fetchedAt }: FetchedPrices): void {
    this.#refreshedPrices = files;
    this.prices.setRefreshed(files, fetchedAt);
  }

  #sendToGateway(message: MessageToGateway): void {
    this.#options.sendToGateway?.(message);
  }

  #servicesOf(): Services {
    const { config, clock, log, demo = false, site = null } = this.#options;
    const { records, prices, files, store } = this;
    const providers = this.#providers;
    const { baseUrl, allowedHosts, tokenRequestsPerMinute } = config;
    const standings = (limits: readonly Limit[]): Promise<readonly CounterStatus[]> => this.limits.standings(limits);
    return {
      settings: { baseUrl, allowedHosts, tokenRequestsPerMinute, version: VERSION, demo },
      clock,
      log,
      records,
      accounts: new Accounts({ db: this.#engine.db, records, baseUrl, clock, log, demo }),
      entries: withCounterEvents(store.entries, (moves) => this.limits.moved(moves)),
      reports: store.reports,
      sessions: store.sessions,
      reportRest: store.reportRest,
      pricingOf: (workspaceId) => this.#pricingOf(workspaceId),
      prices,
      providers,
      gateway: this.#notices(),
      standings,
      refusals: (limit) => this.limits.refusals(limit),
      live: this.#live,
      site,
      deliveries: this.deliveries,
      detector: new Detector({ reports: store.reports, records }),
      providerReports: this.#organizations,
      digests: createDigestService({
        ...store,
        organizations: this.#organizations,
        records,
        standings,
        clock,
        baseUrl,
      }),
      installation: createOperations({
        engine: this.#engine,
        config,
        files,
        records,
        providers,
        prices,
        clock,
        pricesRefreshed: (source, priceFiles) => {
          const fetched = { files: priceFiles, fetchedAt: clock() };
          saveFetchedPrices(files.prices, source, fetched, log);
          this.#useRefreshed(fetched);
          this.#sendToGateway({ type: 'refreshed-prices', files: priceFiles });
          this.#pokePricing();
        },
      }),
    };
  }

  /** Runs the jobs that price unpriced usage. */
  #pokePricing(): void {
    for (const job of ['unpriced', 'sessions', REPRICE_UNPROXIED_USAGE]) this.#schedule?.poke(job);
  }

  #pricedAs(workspaceId: string): PricedAs {
    return (provider, model) => {
      const priceProvider = this.#providers.get(provider)?.priceProvider ?? provider;
      return this.prices.resolve(workspaceId, priceProvider, model, this.#options.clock())?.model ?? null;
    };
  }

  #pricingOf(workspaceId: string): SessionPricing {
    return {
      pricedAs: this.#pricedAs(workspaceId),
      resolve: (provider, model, at) => this.prices.resolve(workspaceId, provider, model, at),
    };
  }

  #notices(): GatewayNotices {
    return {
      keyChanged: async (id) => {
        const key = await this.records.keys.findForGateway(id);
        if (key) this.#sendToGateway({ type: 'key', key });
        this.#schedule?.poke(COMPUTE_UNPROXIED_USAGE);
      },
      tokenChanged: (hash, live) => this.#sendToGateway({ type: 'token', hash, live }),
      pricesChanged: async (set) => {
        const userCards = await this.records.prices.all();
        this.prices.setUserCards(userCards);
        this.#sendToGateway({ type: 'prices', userCards });
        if (set) {
          this.#changedPrices.add(set);
          this.#schedule?.poke('own_prices');
          await this.store.sessions.markForComputing(set.workspaceId, 'all');
          await markUnproxiedUsage({ ...this.store, records: this.records }, set.workspaceId);
        }
        this.#pokePricing();
      },
      limitChanged: (limit) => {
        this.#sendToGateway({ type: 'limit', limit });
        this.#live.send(limit.workspaceId, 'limit', { id: limit.id });
      },
      whenApplied: () => this.limits.waitUntilApplied(),
      limitRemoved: ({ id, workspaceId }) => {
        this.#sendToGateway({ type: 'limit-removed', id });
        this.#live.send(workspaceId, 'limit', { id });
      },
      alertRead: (alert) => {
        publishAlerts([alert], 'read', this.#services);
        const model = readOverrun(alert);
        if (model) this.#sendToGateway({ type: 'overrun-acknowledged', model });
      },
      zoneChanged: async (workspaceId) => {
        for (const limit of await this.records.limits.list(workspaceId)) this.#sendToGateway({ type: 'limit', limit });
      },
      providersChanged: async () => {
        await this.reloadProviders();
        this.#sendToGateway({ type: 'providers', customProviders: await this.records.providers.list() });
      },
    };
  }

  #jobs(): Job[] {
    const services = this.#services;
    const aging = { ...services, clock: jobClock(services.clock, systemUptime) };
    const raise = (alert: Alert): Promise<void> => this.raise(alert);
    const runner = newId('run', services.clock);
    const shared = { ...aging, compare: this.#organizations.compare, raise, runner };
    const counterParts = {
      ...shared,
      counters: this.store.counters,
      onMoves: (moves: readonly CounterMove[]) => this.limits.moved(moves),
    };
    return [
      pruneCountersJob(counterParts),
      releaseUncertainJob(counterParts),
      recountJob(counterParts),
      pruneEntriesJob(aging.records, aging.entries, aging.clock, LIMITS.pruneRowsMax),
      unpricedJob(services),
      computeSessionsJob(services),
      pruneSessionUseJob(aging, LIMITS.pruneRowsMax),
      customPricesJob(services, this.#changedPrices),
      watchRateLimitsJob(shared),
      forecastLimitsJob(shared),
      detectAnomaliesJob({ ...shared, onRaised: (alerts) => this.#alertsRaised(alerts) }),
      sendDigestsJob({ ...shared, queued: () => this.deliveries.start() }),
      deliveryJob(services.deliveries),
      pruneDeliveriesJob(aging),
      ...reportJobs({
        ...shared,
        ...this.store,
        clock: services.clock,
        jobClock: aging.clock,
        prices: this.prices,
        organizations: this.#organizations,
        resolved: () => this.deliveries.start(),
        poke: (job) => this.#schedule?.poke(job),
        sendToGateway: (message) => this.#sendToGateway(message),
      }),
      endAlertsJob({ ...aging, startedAt: services.clock(), pricedAs: (id) => this.#pricedAs(id) }),
      ...(this.#options.config.pricesUrl === null
        ? []
        : [refreshPricesJob(() => services.installation.refreshPrices())]),
    ];
  }
}
