import type { ListedNode } from '../storage/node-amounts.ts';
import { mkdirSync } from 'node:fs';
import type { PasswordHashing } from '../accounts/auth-library.ts';
import { createApi, type Transport } from '../api/api.ts';
import { LiveStreams } from '../api/live-streams.ts';
import type { Services } from '../api/services.ts';
import type { Config } from '../config.ts';
import type { CounterPlace } from '../domain/limits/limit.ts';
import { BATCHES, type CallBegin } from '../domain/usage/call.ts';
import type { Alert } from '../domain/alerts/alert.ts';
import { OpenCalls } from '../jobs/open-calls.ts';
import { READ_BACKGROUND_RESPONSES } from '../jobs/read-background-responses.ts';
import { SETTLE_BATCHES } from '../jobs/settle-batches.ts';
import { ChangedContracts, ChangedPrices } from '../jobs/reprice.ts';
import { SYNC_REPORTS } from '../jobs/sync-provider-reports.ts';
import { type Job, startSchedule, type Schedule } from '../jobs/schedule.ts';
import { type Clock, systemUptime } from '../lib/clock.ts';
import type { HostLookup } from '../lib/http/guarded-lookup.ts';
import { newId } from '../lib/crypto/id.ts';
import type { Log } from '../lib/log.ts';
import type { SiteFiles } from '../lib/http/site-files.ts';
import { createPriceBook, type PriceBook } from '../prices/price-book.ts';
import type { PriceFile } from '../prices/price-rows.ts';
import { type CallPrices, callPrices } from '../prices/call-prices.ts';
import type { Provider } from '../providers/provider.ts';
import { buildProviders } from '../providers/providers.ts';
import type { ChangePosition, LiveNews, RecordChange } from '../storage/change-feed.ts';
import type { StorageEngine } from '../storage/engine.ts';
import { type ClockStep, WindowClock } from '../limits/window-clock.ts';
import { openEngine } from '../storage/open.ts';
import { countNodes, type NodeCounts, ONE_NODE } from '../storage/records/nodes.ts';
import { newRunnerId } from '../storage/records/runner.ts';
import { openRecords, type Records } from '../storage/records/records.ts';
import type { LedgerStore } from '../storage/store.ts';
import { WorkerLeases } from '../storage/worker-leases.ts';
import { createEntryAppender, withBackgroundReads, withSessionComputing } from './append-entries.ts';
import { type FetchedPrices, readFetchedPrices, renderFetchedPrices } from './fetched-prices.ts';
import type { ChosenPrices } from './price-updates.ts';
import type { Actor } from '../storage/records/audit.ts';
import { openCallExporter, withCallExport } from './export-calls.ts';
import { DeliveryService } from './delivery-service.ts';
import { dataFiles, type DataFiles, nodePlace } from './data-folder.ts';
import { LimitService, type LimitServiceParts, newestCallAt } from './limit-service.ts';
import { LeaseService } from './lease-service.ts';
import { type LimitCounting, WorkerLimits } from './worker-limits.ts';
import { waitUntilInForce } from './limits-in-force.ts';
import type { LeaseStart } from '../ipc/lease-messages.ts';
import type { AlertMessage, LedgerSnapshot, MessageToGateway } from '../ipc/messages.ts';
import { unreadableKeyAlert } from './unreadable-key-alert.ts';
import { LazyTools, TOOLS_PATH } from './tools-transport.ts';
import { NodeFigures } from './node-figures.ts';
import { ReportService } from './report-service.ts';
import { CallAnnouncer, publishNews } from './announce-calls.ts';
import { applyChange } from './apply-change.ts';
import { ChangeFollower } from './follow-changes.ts';
import { GatewayUpdates } from './send-to-gateway.ts';
import { type AlertChange, publishAlerts, withLiveEvents } from './live-events.ts';
import type { StoredAlert } from '../storage/records/alerts.ts';
import type { EntryStore } from '../storage/entry-store.ts';
import type { CallExporter } from '../telemetry/export/call-exporter.ts';
import type { PricedAs } from '../storage/counter-store.ts';
import { createGatewayNotices, pokePricing } from './notify-gateway.ts';
import { createServices } from './create-services.ts';
import { ledgerJobs, STARTING_JOBS } from './ledger-jobs.ts';
import { modelPricing } from './model-prices.ts';

const PRIVATE_FOLDER = 0o700;

export interface LedgerOptions {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  /** Id of the folder's journal, which is the id of the node; null = there is none. Default: none. */
  readonly nodeId?: string | null;
  /** Several workers admit calls, and share limits by leases of this process. Default: false. */
  readonly hasWorkers?: boolean;
  readonly demo?: boolean;
  /** Hashes passwords. Default: scrypt. */
  readonly hashing?: PasswordHashing;
  /** Resolves the names of webhooks. Default: the system's lookup. */
  readonly lookup?: HostLookup;
  /** The built dashboard. Default: none. */
  readonly site?: SiteFiles | null;
  /** Sends changes to the gateway. Default: no gateway. */
  readonly sendToGateway?: (message: MessageToGateway) => void;
}

/** Opens the ledger of a data folder, which is created if missing. Throws a `TollbookError` that says what to do. */
export async function openLedger(options: LedgerOptions): Promise<Ledger> {
  const { config, clock, hasWorkers = false } = options;
  const files = dataFiles(config.dataDir);
  mkdirSync(files.folder, { recursive: true, mode: PRIVATE_FOLDER });
  // If calls must survive a power loss, so must records: a revoked key stays revoked.
  const { databaseUrl, clickhouseUrl, databaseConnectionsMax: connectionsMax, journalSync: synchronous } = config;
  const opened = await openEngine({ databaseUrl, clickhouseUrl, file: files.database, synchronous, connectionsMax });
  let engine = opened;
  try {
    const { secret, nextSecret } = config;
    const { db, shared } = engine;
    const records = await openRecords({
      db,
      shared,
      place: nodePlace(config),
      nodeId: options.nodeId ?? null,
      hasWorkers,
      dataDir: files.folder,
      secret,
      nextSecret,
      clock,
    });
    // Before calls are stored. Where another process is in the way, the job does it.
    await engine.prepareMonths?.(clock()).catch((error: unknown) => {
      options.log.warn({ err: error }, 'could not prepare tables for the next months; trying again within a day');
    });
    // Before anything is read: later changes are applied.
    const position = (await engine.changes?.last()) ?? null;
    const prices = createPriceBook({ userCards: await records.prices.all() });
    prices.contracts.set(await records.contracts.all());
    const workers = hasWorkers ? await openWorkerLeases(engine.store, records, options) : null;
    if (workers) engine = { ...opened, store: workers.follow(opened.store), leases: workers };
    const ledger = new Ledger({ options, files, engine, records, prices, position, workers });
    await ledger.reloadProviders();
    await ledger.reloadFetchedPrices();
    return ledger;
  } catch (error) {
    await engine.close();
    throw error;
  }
}

interface LedgerParts {
  readonly options: LedgerOptions;
  readonly files: DataFiles;
  readonly engine: StorageEngine;
  readonly records: Records;
  readonly prices: PriceBook;
  /** Last change of any node that the records contain; null = no other node makes any. */
  readonly position: ChangePosition | null;
  /** Shares limits out among workers; null = there are none. */
  readonly workers: WorkerLeases | null;
}

/** Opens the authority of workers. Its time is that of limit windows. */
async function openWorkerLeases(
  store: LedgerStore,
  records: Records,
  { clock, log, sendToGateway }: LedgerOptions,
): Promise<WorkerLeases> {
  const from = await newestCallAt(records, store.reports);
  const stepped = (step: ClockStep, ms: number): void =>
    log.warn({ ms }, `the clock of this machine ${CLOCK_STEPS[step]}`);
  const { now } = new WindowClock({ wall: clock, uptime: systemUptime, from, stepped });
  const leases = new WorkerLeases({
    store,
    clock: now,
    recall: (places) => sendToGateway?.({ type: 'counters-recalled', places }),
  });
  for (const limit of await records.limits.all()) leases.limitChanged(limit);
  return leases;
}

const CLOCK_STEPS: Readonly<Record<ClockStep, string>> = {
  jumped_ahead: 'jumped ahead; windows of limits do not follow yet',
  fell_behind: 'fell behind; windows of limits go on without it',
};

/** The part of the ledger that serves one gateway. */
export interface GatewayServices {
  readonly limits: LimitService;
  /** null = no other gateway shares the limits. */
  readonly leases: LeaseService | null;
  /** Returns the gateway's initial state. */
  snapshot(): Promise<LedgerSnapshot>;
  /** The gateway is gone. */
  leave(): void;
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
  /** null = no other node shares the limits. */
  readonly leases: LeaseService | null;
  /** null = calls are not exported. */
  readonly exporter: CallExporter | null;
  /** null = no other node uses the database. */
  readonly #nodeFigures: NodeFigures | null;
  readonly #workerLeases: WorkerLeases | null;
  readonly #workerLimits: WorkerLimits | null;
  readonly #limitParts: Omit<LimitServiceParts, 'sendToGateway'>;
  readonly #live: LiveStreams;
  readonly #organizations: ReportService;
  readonly #nodeId: string;
  /** Id of this process in its claims. */
  readonly #runner: string;
  readonly #options: LedgerOptions;
  readonly #engine: StorageEngine;
  readonly #providers = new Map<string, Provider>();
  readonly #updates: GatewayUpdates;
  /** null = no other process changes records. */
  readonly #follower: ChangeFollower | null;
  readonly #announcer: CallAnnouncer | null;
  readonly #background = new OpenCalls();
  readonly #batches = new OpenCalls();
  readonly #services: Services;
  readonly #api: ReturnType<typeof createApi>;
  readonly #tools: LazyTools;
  readonly #changedPrices = new ChangedPrices();
  readonly #changedContracts = new ChangedContracts();
  #refreshedPrices: readonly PriceFile[] = [];
  #schedule: Schedule | null = null;

  constructor({ options, files, engine, records, prices, position, workers }: LedgerParts) {
    this.#workerLeases = workers;
    this.#workerLimits = workers && new WorkerLimits();
    this.#options = options;
    this.#engine = engine;
    this.files = files;
    this.records = records;
    this.prices = prices;
    this.store = engine.store;
    const { sendToGateway = null, clock } = options;
    const pricing = { prices, providers: this.#providers, clock };
    const pricedAs = (workspaceId: string): PricedAs => modelPricing(pricing, workspaceId);
    const { nodeId = null } = options;
    const readMark = engine.shared && nodeId !== null ? () => engine.store.entries.mark(nodeId) : null;
    const { nodeAmounts } = engine;
    const readHeldElsewhere =
      nodeAmounts && nodeId !== null
        ? (counters: readonly number[]) => nodeAmounts.heldElsewhere(counters, nodeId)
        : null;
    this.#limitParts = { ...engine.store, records, providers: this.#providers, clock, pricedAs };
    const shared = { readMark, readHeldElsewhere };
    this.limits = new LimitService({ ...this.#limitParts, ...shared, sendToGateway: workers ? null : sendToGateway });
    this.#nodeId = options.nodeId ?? newId('node', clock);
    this.#runner = newRunnerId(this.#nodeId, clock);
    const claimTime = this.readSharedTime;
    this.deliveries = new DeliveryService({ ...options, records, claimTime, runner: this.#runner });
    this.#nodeFigures =
      nodeAmounts && new NodeFigures({ nodes: records.nodes, amounts: nodeAmounts, clock, uptime: systemUptime });
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
    this.#updates = new GatewayUpdates({
      records,
      prices,
      live: this.#live,
      send: (message) => this.#sendToGateway(message),
      reloadProviders: () => this.reloadProviders(),
      reloadFetchedPrices: () => this.#reloadAndSendFetchedPrices(),
    });
    this.#follower = position && this.#createFollower(position);
    this.leases = this.#createLeases();
    this.#services = this.#createServices();
    this.#api = createApi(this.#services);
    this.#tools = new LazyTools(this.#services, this.#api);
    const raise = (alert: Alert): Promise<void> => this.raise(alert);
    const onReplaced = (listener: () => void): void => this.onReplaced(listener);
    const booking = createEntryAppender({ ...this.#services, priceCards: records.priceCards, raise, onReplaced });
    const noticed = withBackgroundReads(booking, ({ operation }) => {
      const isBatch = operation === BATCHES;
      (isBatch ? this.#batches : this.#background).notice();
      this.#schedule?.poke(isBatch ? SETTLE_BATCHES : READ_BACKGROUND_RESPONSES);
    });
    this.#announcer = engine.changes && new CallAnnouncer({ feed: engine.changes, log: options.log });
    const live = withLiveEvents(withSessionComputing(noticed, this.#services), this.#live, this.#announcer);
    // Other processes than a service open the ledger too, and ship nothing.
    this.exporter = sendToGateway && openCallExporter({ ...options, nodeId: this.#nodeId });
    this.shipping = withCallExport(live, this.exporter);
  }

  fetch(request: Request, transport: Transport): Response | Promise<Response> {
    if (new URL(request.url).pathname === TOOLS_PATH) return this.#tools.fetch(request);
    return this.#api.fetch(request, transport);
  }

  /**
   * Returns the gateway's initial state. A provider key that can't be decrypted raises an alert and does not affect
   * others.
   */
  async snapshot(): Promise<LedgerSnapshot> {
    return await this.#snapshot(this.limits, await this.#leaseStart());
  }

  /** Returns the prices of a call's models at its begin. */
  callPrices(begin: CallBegin): CallPrices {
    return callPrices(this.prices, begin, this.#providers.get(begin.provider)?.priceProvider ?? begin.provider);
  }

  /** Counts for limits what a node had before them that has no gateway. */
  nodeLimits(node: string): LimitService {
    return new LimitService({ ...this.#limitParts, node, sendToGateway: null });
  }

  /** Serves the only gateway. */
  get ownGateway(): GatewayServices {
    return { limits: this.limits, leases: this.leases, snapshot: () => this.snapshot(), leave: () => {} };
  }

  /** Serves one more worker, whose node is its journal. */
  serveWorker(node: string | null, send: (message: MessageToGateway) => void): GatewayServices {
    const [leases, limits] = [this.#workerLeases, this.#workerLimits];
    if (!leases || !limits) throw new Error('This ledger serves no workers.');
    const readMark = node === null ? null : () => this.store.entries.mark(node);
    const service = limits.join({ ...this.#limitParts, node, sendToGateway: send, readMark });
    // All changes were sent before the answer to a question of changes: nothing is to be applied first.
    const applyChanges = async (): Promise<void> => {};
    return {
      limits: service,
      leases: node === null ? null : new LeaseService({ leases, node, send, applyChanges }),
      snapshot: async () =>
        await this.#snapshot(service, { node: node ?? newId('node', this.#options.clock), time: await leases.time() }),
      leave() {
        limits.leave(service);
        if (node !== null) leases.gone(node);
      },
    };
  }

  async #snapshot(service: LimitService, lease: LeaseStart | null): Promise<LedgerSnapshot> {
    const { keys, tokens, prices, contracts, providers } = this.records;
    const gateKeys = await keys.listForGateway();
    for (const key of gateKeys)
      if (key.providerKey === '' && key.credential === 'provider_key')
        await this.raise(unreadableKeyAlert(key, this.#options.clock()));
    const limits = await service.snapshot();
    this.#updates.sent(limits.limits);
    return {
      keys: gateKeys,
      tokenHashes: await tokens.hashes(),
      userCards: await prices.all(),
      contracts: await contracts.all(),
      refreshedPrices: this.#refreshedPrices,
      customProviders: await providers.list(),
      limits,
      lease,
    };
  }

  /** null = no other node shares the limits. */
  async #leaseStart(): Promise<LeaseStart | null> {
    const { leases } = this.#engine;
    return leases && this.leases && { node: this.#nodeId, time: await leases.time() };
  }

  /** Stores an alert once per episode and logs it. */
  async raise(alert: Alert): Promise<void> {
    const raised = await this.records.alerts.raise(alert);
    if (raised) this.#alertsRaised([raised]);
  }

  #alertsRaised(alerts: readonly StoredAlert[]): void {
    for (const { type, scope, message } of alerts) this.#options.log.warn({ alert: type, scope }, message);
    for (const alert of alerts) this.#tellWorkers(alert);
    // Also sends ends.
    this.deliveries.start();
    this.#publish(alerts, 'raised');
  }

  /** One worker has raised or ended an alert: the others don't repeat it. */
  #tellWorkers(alert: StoredAlert): void {
    if (!this.#workerLeases) return;
    this.#updates.refusal(alert);
    this.#updates.overrun(alert);
  }

  /** Publishes alerts that changed. Where changes of other nodes are followed, those of this one are among them. */
  #publish(alerts: readonly StoredAlert[], change: AlertChange): void {
    if (!this.#follower) publishAlerts(alerts, change, this.#services);
  }

  /** Stores alerts of the gateway and their ends. */
  async receiveAlert(message: AlertMessage): Promise<void> {
    if (message.type === 'alert-raised') return await this.raise(message.alert);
    const over = await this.records.alerts.resolve(message.workspaceId, message.episode, this.#options.clock());
    if (!over) return;
    this.#tellWorkers(over);
    this.deliveries.start();
    this.#publish([over], 'resolved');
  }

  async reloadProviders(): Promise<void> {
    const custom = await this.records.providers.list();
    this.#providers.clear();
    for (const [id, provider] of buildProviders({ urls: this.#options.config.providerUrls, custom }))
      this.#providers.set(id, provider);
  }

  /** Uses the prices that were fetched last. */
  async reloadFetchedPrices(): Promise<void> {
    const { config, log } = this.#options;
    this.#useRefreshed(await readFetchedPrices(this.records.documents, config.pricesUrl, log));
  }

  async startJobs(): Promise<void> {
    // Earlier processes on this folder have ended: a folder has one owner. Other nodes may use the same database.
    const freed = this.#engine.shared ? this.#nodeId : null;
    await this.records.deliveries.free(freed);
    await this.records.jobs.free(freed);
    this.#schedule = startSchedule(this.#jobs(), this.#options.log);
    for (const job of STARTING_JOBS) this.#schedule.poke(job);
  }

  /** Several gateways share limits: workers, or nodes on a database. */
  get hasNodes(): boolean {
    return this.#engine.leases !== null;
  }

  async countNodes(): Promise<NodeCounts> {
    if (!this.hasNodes) return ONE_NODE;
    return countNodes(await this.records.nodes.list(), this.#options.clock());
  }

  /** Reads the time of a shared database; null = no other process uses it. */
  get readSharedTime(): (() => Promise<number>) | null {
    const { leases } = this.#engine;
    return leases && (() => leases.time());
  }

  /** Lists the nodes on a shared database. */
  async listNodes(): Promise<readonly ListedNode[]> {
    return (await this.#nodeFigures?.list()) ?? [];
  }

  /** Applies what other nodes change. The gateway must have the snapshot, which is older. */
  followChanges(): void {
    this.#follower?.start();
  }

  /** Calls a listener when the database may lack calls that it had. */
  onReplaced(listener: () => void): void {
    this.#engine.onReplaced?.(listener);
  }

  get #counting(): LimitCounting {
    return this.#workerLimits ?? this.limits;
  }

  async close(): Promise<void> {
    this.#live.close();
    await this.exporter?.close();
    await this.#schedule?.close();
    this.#announcer?.close();
    await this.#follower?.close();
    await this.#engine.changes?.close();
    await this.deliveries.close();
    await this.#tools.close();
    await this.#engine.close();
  }

  #useRefreshed({ files, fetchedAt }: FetchedPrices): void {
    this.#refreshedPrices = files;
    this.prices.setRefreshed(files, fetchedAt);
  }

  #sendToGateway(message: MessageToGateway): void {
    // Before any worker hears of it: what is granted from now on is of the new amount.
    if (message.type === 'limit-changed') this.#workerLeases?.limitChanged(message.limit);
    if (message.type === 'limit-removed') this.#workerLeases?.limitRemoved(message.id);
    this.#options.sendToGateway?.(message);
  }

  async #reloadAndSendFetchedPrices(): Promise<void> {
    await this.reloadFetchedPrices();
    this.#sendToGateway({ type: 'price-lists-refreshed', files: this.#refreshedPrices });
  }

  async #usePrices({ files, ...list }: ChosenPrices, actor: Actor): Promise<void> {
    const fetched = { files, fetchedAt: this.#options.clock() };
    await this.records.priceLists.apply({ ...list, text: renderFetchedPrices(list.source, fetched) }, actor);
    this.#useRefreshed(fetched);
    this.#sendToGateway({ type: 'price-lists-refreshed', files });
    pokePricing((job) => this.#schedule?.poke(job));
  }

  #createFollower(position: ChangePosition): ChangeFollower | null {
    const { changes: feed } = this.#engine;
    if (!feed) return null;
    const live = this.#live;
    const parts = { records: this.records, updates: this.#updates, live };
    const publish = (alert: StoredAlert, change: AlertChange): void => publishAlerts([alert], change, this.#services);
    const follower = {
      feed,
      apply: (change: RecordChange) => applyChange({ ...parts, publish }, change),
      reload: () => this.#updates.all(),
      news: (news: LiveNews) => publishNews(news, live),
      recalled: (places: readonly CounterPlace[]) => this.#sendToGateway({ type: 'counters-recalled', places }),
      log: this.#options.log,
    };
    return new ChangeFollower(follower, position);
  }

  #createLeases(): LeaseService | null {
    const { leases } = this.#engine;
    const follower = this.#follower;
    if (!leases || !follower || typeof this.#options.nodeId !== 'string') return null;
    const send = (message: MessageToGateway): void => this.#sendToGateway(message);
    const { nodeAmounts } = this.#engine;
    return new LeaseService({ leases, nodeAmounts, node: this.#nodeId, send, applyChanges: () => follower.caughtUp() });
  }

  #createServices(): Services {
    const { records, prices, store } = this;
    const follower = this.#follower;
    const gateway = createGatewayNotices({
      records,
      store,
      updates: this.#updates,
      applyChanges: follower && (() => follower.caughtUp()),
      publishRead: (alert) => this.#publish([alert], 'read'),
      log: this.#options.log,
      changedPrices: this.#changedPrices,
      changedContracts: this.#changedContracts,
      hasGateway: this.#options.sendToGateway !== undefined,
      poke: (job) => this.#schedule?.poke(job),
      waitUntilApplied: () => this.#counting.waitUntilApplied(),
      waitUntilInForce: () => waitUntilInForce(this.#engine.leases),
    });
    return createServices({
      ...this.#options,
      engine: this.#engine,
      files: this.files,
      records,
      prices,
      providers: this.#providers,
      limits: this.#counting,
      deliveries: this.deliveries,
      organizations: this.#organizations,
      live: this.#live,
      gateway,
      priceFilesInUse: () => this.#refreshedPrices,
      usePrices: (chosen, actor) => this.#usePrices(chosen, actor),
    });
  }

  #jobs(): Job[] {
    return ledgerJobs({
      services: this.#services,
      store: this.store,
      limits: this.#counting,
      organizations: this.#organizations,
      changedPrices: this.#changedPrices,
      changedContracts: this.#changedContracts,
      pricesUrl: this.#options.config.pricesUrl,
      leases: this.#engine.leases,
      changes: this.#engine.changes,
      prepareMonths: this.#engine.prepareMonths,
      shared: this.#engine.shared,
      runner: this.#runner,
      background: this.#background,
      batches: this.#batches,
      raise: (alert) => this.raise(alert),
      onRaised: (alerts) => this.#alertsRaised(alerts),
      send: (message) => this.#sendToGateway(message),
      poke: (job) => this.#schedule?.poke(job),
    });
  }
}
