import { setTimeout as pause } from 'node:timers/promises';
import { databasePlace, type JournalPlace } from '../ledger/data-folder.ts';
import type { LedgerSnapshot, MessageToGateway } from '../ipc/messages.ts';
import type { LedgerClient } from './ledger-client.ts';
import { listenOnPort } from './listen.ts';
import { type Config, LIMITS } from '../config.ts';
import type { ExportCounts } from '../domain/telemetry/export-counts.ts';
import type { ListedNode } from '../storage/node-amounts.ts';
import type { ConnectionState } from '../domain/reconciliation/coverage.ts';
import type { Alert } from '../domain/alerts/alert.ts';
import { TollbookError } from '../domain/errors.ts';
import { SECOND_MS } from '../domain/time/units.ts';
import { endLostCall } from '../domain/usage/lost-call.ts';
import type { DemoSecrets } from '../demo/seed.ts';
import { LimitsSync } from './limits-sync.ts';
import { openSharedLimits } from './open-shared-limits.ts';
import { openOwnJournal } from './own-journal.ts';
import type { SharedLimits } from './shared-limits.ts';
import type { Journal } from '../journal/journal.ts';
import type { TurnJournal } from '../journal/turn-journal.ts';
import { type Clock, systemUptime } from '../lib/clock.ts';
import { createIdSource } from '../lib/crypto/id.ts';
import type { FolderLock } from '../lib/fs/folder-lock.ts';
import type { MetricRows, WorkerMetrics } from '../ipc/worker-messages.ts';
import type { Log } from '../lib/log.ts';
import { webSocketPath } from '../lib/fs/socket-path.ts';
import { LimitChanges } from './waiting-limit-changes.ts';
import { callPrices } from '../prices/call-prices.ts';
import { createPriceBook, type PriceBook } from '../prices/price-book.ts';
import type { Provider } from '../providers/provider.ts';
import { buildProviders, checkAddresses } from '../providers/providers.ts';
import { openGatewayServer, type GatewayServer } from './server.ts';
import { KeyRing } from './proxy/keys.ts';
import { KnownHosts } from './proxy/known-hosts.ts';
import type { NodeLock } from '../storage/node-lock.ts';
import { ownNode, readKnownJournal } from '../storage/own-node.ts';
import type { ServerWait } from '../storage/server-wait.ts';
import { ThreadHeartbeat } from '../lib/concurrency/worker-thread.ts';
import { HealthAlerts, JOURNAL_NOT_CLOSED } from './health-alerts.ts';
import { ONE_NODE } from '../storage/records/nodes.ts';
import { DEFAULT_WORKSPACE } from '../storage/records/context.ts';

/** Delay after which the ledger is notified of an ended call … */
const NOTICE_MS = 50;
/**
 * … and its least interval when calls end all the time: many calls together cost less. Until then they are in the
 * journal.
 */
const NOTICE_BUSY_MS = 200;
/** Maximum number of alerts kept until the ledger thread runs. */
const EARLY_ALERTS_MAX = 100;

/** Surroundings of a gateway: its journal, and how it reaches its ledger. */
export interface GatewayHost {
  readonly journal: JournalPlace;
  /** Name in alerts; null = there is no other gateway. */
  readonly name: string | null;
  /** Asks all workers for their metrics; null = there is one gateway. */
  readonly gatherMetrics: (() => Promise<readonly WorkerMetrics[]>) | null;
  /** Other gateways serve the same port. */
  readonly sharesPort: boolean;
  startLedger(
    journalOpen: boolean,
    onMessage: (message: MessageToGateway) => void,
    onDeath: (error: Error) => void,
  ): LedgerClient;
}

export interface GatewayService {
  /** URL that it listens on, for instance `http://127.0.0.1:4700`. */
  readonly url: string;
  readonly hasKeys: boolean;
  /** Code that creates the first owner; null = there is an owner. */
  readonly claimCode: string | null;
  /** Secrets of the demo; empty otherwise. */
  readonly demo: DemoSecrets;
  /** Stops accepting, lets calls finish for a while, and ships the rest. */
  close(): Promise<void>;
}

/** A gateway that serves. */
export interface OpenGateway extends GatewayService {
  readMetrics(): Promise<readonly MetricRows[]>;
}

export interface GatewayOptions {
  readonly config: Config;
  readonly log: Log;
  readonly clock: Clock;
  /** Ends the wait for a database that does not answer. Default: nothing does. */
  readonly signal?: AbortSignal;
  readonly host: GatewayHost;
  /** Lock of the folder that the journal is in. Released in the end. */
  readonly lock: FolderLock;
}

/** Opens a gateway: its journal, its ledger and its port, in this order. */
export async function openGateway({ config, log, clock, host, lock, signal }: GatewayOptions): Promise<OpenGateway> {
  const service = new RunningGateway(config, log, clock, host);
  try {
    await service.open(signal);
  } catch (error) {
    await service.abandon();
    lock.release();
    throw error;
  }
  return {
    url: service.url,
    hasKeys: service.hasKeys,
    claimCode: service.claimCode,
    demo: service.demo,
    readMetrics: () => service.readMetrics(),
    async close() {
      await service.close();
      lock.release();
    },
  };
}

/**
 * Silence after which the ledger thread counts as hanging. It reports every five seconds; its longest single task
 * takes a few.
 */
const LEDGER_SILENCE_MS_MAX = 60_000;

/** Time for the ledger to count the calls of limits that an earlier process did not finish to install. */
const BACKFILL_MS_MAX = 5 * 60_000;

async function waitForBackfills(limits: LimitsSync): Promise<void> {
  const late = Promise.withResolvers<never>();
  const error = new TollbookError(
    'unavailable',
    'The ledger did not count the calls of new limits in time, and without these counts they would admit too much. Start again.',
  );
  const timer = setTimeout(() => late.reject(error), BACKFILL_MS_MAX);
  await Promise.race([limits.backfilled(), late.promise]).finally(() => clearTimeout(timer));
}

class RunningGateway {
  readonly #config: Config;
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #host: GatewayHost;
  readonly #providers = new Map<string, Provider>();
  readonly #prices: PriceBook = createPriceBook();
  readonly #health: HealthAlerts;
  readonly #earlyAlerts: Alert[] = [];
  readonly #keys = new KeyRing();
  #journal: Journal | null = null;
  #node: NodeLock | null = null;
  #ledger: LedgerClient | null = null;
  #gateway: GatewayServer | null = null;
  #limits: LimitsSync | null = null;
  /** null = no other node shares the limits. */
  #shared: SharedLimits | null = null;
  /** Changes of limits that arrived before the limits engine opened. */
  readonly #earlyLimitChanges = new LimitChanges();
  readonly #heartbeat = new ThreadHeartbeat(systemUptime, LEDGER_SILENCE_MS_MAX);
  #deliveriesWaiting = 0;
  #nodes = ONE_NODE;
  /** null = calls are not exported. */
  #exported: ExportCounts | null = null;
  #listedNodes: readonly ListedNode[] = [];
  #connections: readonly ConnectionState[] = [];
  #shippedMark = 0;
  #notice: NodeJS.Timeout | null = null;
  /** Time of the last notice, by `performance.now`. */
  #noticedAt = Number.NEGATIVE_INFINITY;
  url = '';
  hasKeys = false;
  claimCode: string | null = null;
  demo: DemoSecrets = { keys: [], machines: [], token: '' };

  constructor(config: Config, log: Log, clock: Clock, host: GatewayHost) {
    this.#config = config;
    this.#log = log;
    this.#clock = clock;
    this.#host = host;
    this.#health = new HealthAlerts({
      node: host.name,
      clock,
      log,
      raise: (alert) => this.#raise(alert),
      over: (episode) => this.#ledger?.send({ type: 'alert-ended', workspaceId: DEFAULT_WORKSPACE, episode }),
    });
  }

  async open(signal?: AbortSignal): Promise<void> {
    const wait: ServerWait = {
      waitMsMax: LIMITS.databaseWaitMsMax,
      onWait: (reason) => this.#log.warn(`${reason} The service waits for the database.`),
      ...(signal && { signal }),
    };
    const place = databasePlace(this.#config);
    const { folder, place: of } = this.#host.journal;
    const notes = await readKnownJournal(place, of, wait);
    const parts = { config: this.#config, clock: this.#clock, health: this.#health };
    const { open: journal, journal: orRefusing, older } = openOwnJournal({ ...parts, folder, notes });
    const onLost = (sentence: string): void => this.#nodeLost(sentence);
    if (journal) this.#node = await ownNode(place, journal.journalId, { ...wait, onLost });
    this.#journal = orRefusing;
    this.#ledger = this.#host.startLedger(
      journal !== null,
      (message) => this.#receive(message),
      (error) => this.#ledgerDied(error),
    );
    for (const alert of this.#earlyAlerts.splice(0)) this.#raise(alert);
    const { snapshot, demo: demoSecrets, claimCode } = await this.#ledger.ready;
    this.claimCode = claimCode;
    if (demoSecrets) this.demo = demoSecrets;
    this.hasKeys = snapshot.keys.length > 0;
    this.#prices.setUserCards(snapshot.userCards);
    this.#prices.contracts.set(snapshot.contracts);
    this.#prices.setRefreshed(snapshot.refreshedPrices);
    this.#loadProviders(snapshot.customProviders);
    checkAddresses(this.#config.providerUrls, this.#providers);
    this.#keys.load(snapshot.keys, snapshot.tokenHashes);
    const limits = this.#openLimits(snapshot, this.#journal);
    if (journal) this.#recover(journal, limits);
    if (older !== null) this.#health.raiseAlert('critical', 'journal_older', older);
    limits.open();
    await waitForBackfills(limits);
    this.#gateway = openGatewayServer({
      journal: this.#journal,
      engine: limits.engine,
      now: limits.now,
      ...serverSettings(this.#config),
      keys: this.#keys,
      uptime: systemUptime,
      providers: this.#providers,
      prices: this.#prices,
      clock: this.#clock,
      log: this.#log,
      newCallId: createIdSource('call', this.#clock),
      webSocket: webSocketPath(this.#config.dataDir),
      shippedMark: () => this.#shippedMark,
      ledgerProblem: () => this.#health.sentence('ledger') ?? this.#ledgerSilence(),
      deliveriesWaiting: () => this.#deliveriesWaiting,
      nodes: () => this.#nodes,
      exported: () => this.#exported,
      listedNodes: () => this.#listedNodes,
      connections: () => this.#connections,
      gatherMetrics: this.#host.gatherMetrics,
      raise: (alert) => this.#raise(alert),
      ended: () => this.#callEnded(),
      refused: () => this.#callEnded(),
    });
    await this.#listen(this.#gateway);
  }

  async readMetrics(): Promise<readonly MetricRows[]> {
    return (await this.#gateway?.readMetrics()) ?? [];
  }

  async close(): Promise<void> {
    if (this.#config.leaveSeconds > 0) {
      this.#gateway?.leave();
      await pause(this.#config.leaveSeconds * SECOND_MS);
    }
    const broken = (await this.#gateway?.close(LIMITS.closeGraceMsMax)) ?? 0;
    if (broken > 0) this.#log.warn({ calls: broken }, 'calls were broken off by the close; their cost is uncertain');
    if (this.#notice) clearTimeout(this.#notice);
    this.#health.close();
    await this.#shared?.stop();
    if ((await this.#ledger?.close()) === false)
      this.#log.error('the ledger did not close in time; the rest is in the journal, for the next start');
    this.#journal?.close();
    await this.#node?.release();
  }

  /** Closes what was opened before the start failed. */
  async abandon(): Promise<void> {
    await this.#gateway?.close(0);
    await this.#ledger?.close();
    this.#journal?.close();
    await this.#node?.release();
  }

  /** Ends the calls that a dead process left open. The provider may have charged for them. */
  #recover(journal: TurnJournal, limits: LimitsSync): void {
    const { lost, gap } = journal.recover((begin, early) => {
      const prices = callPrices(this.#prices, begin, this.#priceProvider(begin.provider));
      const end = endLostCall(begin, early, limits.now(), prices);
      return limits.recover(begin, prices.list(begin.requestedModel ?? '')?.model ?? null, end);
    });
    if (lost > 0)
      this.#log.warn({ calls: lost }, 'calls were open when the last process died; their cost is uncertain');
    if (gap)
      this.#health.raiseAlert(
        'info',
        'journal_gap',
        'The last process did not close its journal; after a power loss its latest calls may be missing.',
        JOURNAL_NOT_CLOSED,
      );
    if (lost > 0) this.#callEnded();
  }

  #openLimits({ limits: snapshot, lease }: LedgerSnapshot, journal: Journal): LimitsSync {
    const send: LedgerClient['send'] = (message) => this.#ledger?.send(message);
    const parts = { journal, clock: this.#clock, log: this.#log, send };
    this.#shared = lease && openSharedLimits({ ...parts, lease, limits: () => this.#limits });
    const limits = new LimitsSync({
      snapshot,
      wall: this.#clock,
      uptime: systemUptime,
      journal,
      shippedMark: () => this.#shippedMark,
      send,
      raise: (alert) => this.#raise(alert),
      over: (workspaceId, episode) => this.#ledger?.send({ type: 'alert-ended', workspaceId, episode }),
      mainWorkspace: DEFAULT_WORKSPACE,
      shared: this.#shared,
    });
    this.#limits = limits;
    for (const message of this.#earlyLimitChanges.take()) limits.receive(message);
    return limits;
  }

  #priceProvider(id: string): string {
    return this.#providers.get(id)?.priceProvider ?? id;
  }

  #ledgerSilence(): string | null {
    const seconds = this.#heartbeat.silentSeconds();
    if (seconds === null) return null;
    return `The ledger thread has not responded for ${seconds} s; restart the service if this continues.`;
  }

  #receive(message: MessageToGateway): void {
    this.#heartbeat.beat();
    switch (message.type) {
      case 'key-changed':
        return this.#keys.put(message.key);
      case 'keys-reloaded':
        return this.#keys.replace(message.keys, message.tokenHashes);
      case 'token-changed':
        return this.#keys.putToken(message.hash, message.live);
      case 'custom-prices-changed':
        this.#prices.contracts.set(message.contracts);
        return this.#prices.setUserCards(message.userCards);
      case 'price-lists-refreshed':
        return this.#prices.setRefreshed(message.files);
      case 'providers-changed':
        return this.#loadProviders(message.customProviders);
      case 'calls-shipped':
        this.#shippedMark = message.mark;
        return this.#journal?.shipped(message.mark);
      case 'problem-changed':
        return this.#health.report('ledger', message.sentence);
      case 'calls-missing':
        this.#health.raiseAlert(
          'critical',
          'journal_missing',
          `${message.calls} calls are in neither the journal nor the ledger: the ledger is older than its journal.`,
        );
        return;
      case 'heartbeat':
        this.#deliveriesWaiting = message.deliveriesWaiting;
        this.#nodes = message.nodes;
        this.#exported = message.exported;
        this.#listedNodes = message.listed;
        return;
      case 'connections-changed':
        this.#connections = message.connections;
        return;
      case 'answer-registration':
      case 'answer-exchange':
      case 'answer-leave':
      case 'answer-held':
      case 'answer-failed':
      case 'counters-recalled':
        return this.#shared?.receive(message);
      case 'ready':
      case 'open-for-workers':
      case 'start-failed':
      case 'closed':
        return;
      default:
        return this.#limits ? this.#limits.receive(message) : this.#earlyLimitChanges.add(message);
    }
  }

  #loadProviders(custom: Parameters<typeof buildProviders>[0]['custom']): void {
    this.#providers.clear();
    for (const [id, provider] of buildProviders({ urls: this.#config.providerUrls, custom }))
      this.#providers.set(id, provider);
  }

  #callEnded(): void {
    if (this.#notice) return;
    const quietMs = performance.now() - this.#noticedAt;
    const poke = (): void => {
      this.#notice = null;
      this.#noticedAt = performance.now();
      this.#ledger?.send({ type: 'calls-committed', endSeq: this.#journal?.endSeq ?? 0 });
    };
    this.#notice = setTimeout(poke, Math.max(NOTICE_MS, NOTICE_BUSY_MS - quietMs));
  }

  #raise(alert: Alert): void {
    if (this.#ledger) this.#ledger.send({ type: 'alert-raised', alert });
    else if (this.#earlyAlerts.length < EARLY_ALERTS_MAX) this.#earlyAlerts.push(alert);
  }

  /**
   * Ends the service, to be restarted: without the ledger nothing is shipped or readable. Calls are safe in the
   * journal.
   */
  #ledgerDied(error: Error): void {
    this.#log.error({ err: error }, 'the ledger thread died; the service stops so that it can be restarted');
    process.exitCode = 1;
    void this.#gateway?.close(0).then(() => this.#journal?.close());
    void this.#node?.release();
  }

  /** Ends the service: another process is this node now. */
  #nodeLost(sentence: string): void {
    this.#log.error(sentence);
    process.exitCode = 1;
    void this.close();
  }

  async #listen({ server }: GatewayServer): Promise<void> {
    const { address, port, family } = await listenOnPort(server, this.#config, this.#host.sharesPort);
    this.url = `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
  }
}

function serverSettings(config: Config) {
  const { host, baseUrl, allowedHosts, trustedProxies, callsPerKeyMax, connectionsPerAddressMax, baggageTags } = config;
  const hosts = new KnownHosts({ listensAt: host, baseUrl, allowed: allowedHosts });
  return { hosts, baseUrl, trustedProxies, callsPerKeyMax, connectionsPerAddressMax, baggageTags };
}
