import type { ListedNode } from '../storage/node-amounts.ts';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { dataFiles, nodePlace, openToOthers, ownFolder, databasePlace } from '../ledger/data-folder.ts';
import type { LedgerSnapshot, MessageToGateway } from '../ipc/messages.ts';
import type { LeaseStart } from '../ipc/lease-messages.ts';
import { findOlderJournal, requireKnownJournal } from '../ledger/known-journal.ts';
import { startLedgerThread, type LedgerClient } from './ledger-client.ts';
import { type Config, LIMITS } from '../config.ts';
import type { ExportCounts } from '../domain/telemetry/export-counts.ts';
import type { ConnectionState } from '../domain/reconciliation/coverage.ts';
import type { Alert } from '../domain/alerts/alert.ts';
import { TollbookError } from '../domain/errors.ts';
import { settleCall } from '../domain/usage/settle.ts';
import type { DemoSecrets } from '../demo/seed.ts';
import { LimitsSync } from './limits-sync.ts';
import { SharedLimits } from './shared-limits.ts';
import { type Journal, refusingJournal } from '../journal/journal.ts';
import { openJournal } from '../journal/open-journal.ts';
import type { TurnJournal } from '../journal/turn-journal.ts';
import { type Clock, sleeplessUptime, systemScheduler, systemUptime } from '../lib/clock.ts';
import { createIdSource } from '../lib/crypto/id.ts';
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
import type { JournalNotes } from '../storage/records/journal.ts';
import { ThreadHeartbeat } from '../lib/concurrency/worker-thread.ts';
import { HealthAlerts } from './health-alerts.ts';
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

export interface ServiceOptions {
  readonly config: Config;
  readonly log: Log;
  readonly demo?: boolean;
  readonly clock: Clock;
  /** Ends the wait for a database that does not answer. Default: nothing does. */
  readonly signal?: AbortSignal;
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

/** Opens the service of a data folder: journal, ledger thread and gateway, in this order. Throws `TollbookError`s. */
export async function openService({
  config,
  log,
  demo = false,
  clock,
  signal,
}: ServiceOptions): Promise<GatewayService> {
  const lock = ownFolder(config.dataDir, clock);
  const open = openToOthers(config.dataDir);
  if (open !== null) log.warn(open);
  const service = new RunningService(config, log, clock);
  try {
    await service.open(demo, signal);
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

class RunningService {
  readonly #config: Config;
  readonly #log: Log;
  readonly #clock: Clock;
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

  constructor(config: Config, log: Log, clock: Clock) {
    this.#config = config;
    this.#log = log;
    this.#clock = clock;
    this.#health = new HealthAlerts({
      node: config.databaseUrl === null ? null : config.nodeName,
      clock,
      log,
      raise: (alert) => this.#raise(alert),
      over: (episode) => this.#ledger?.send({ type: 'alert-ended', workspaceId: DEFAULT_WORKSPACE, episode }),
    });
  }

  async open(demo: boolean, signal?: AbortSignal): Promise<void> {
    const wait: ServerWait = {
      waitMsMax: LIMITS.databaseWaitMsMax,
      onWait: (reason) => this.#log.warn(`${reason} The service waits for the database.`),
      ...(signal && { signal }),
    };
    const place = databasePlace(this.#config);
    const journal = this.#openJournal(await readKnownJournal(place, nodePlace(this.#config), wait));
    const onLost = (sentence: string): void => this.#nodeLost(sentence);
    if (journal) this.#node = await ownNode(place, journal.journalId, { ...wait, onLost });
    this.#journal = journal ?? this.#refusing;
    this.#ledger = startLedgerThread(
      { config: this.#config, demo, journalOpen: journal !== null },
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
    limits.open();
    await waitForBackfills(limits);
    this.#gateway = openGatewayServer({
      journal: this.#journal,
      engine: limits.engine,
      now: limits.now,
      trustedProxies: this.#config.trustedProxies,
      hosts: new KnownHosts({
        listensAt: this.#config.host,
        baseUrl: this.#config.baseUrl,
        allowed: this.#config.allowedHosts,
      }),
      callsPerKeyMax: this.#config.callsPerKeyMax,
      connectionsPerAddressMax: this.#config.connectionsPerAddressMax,
      keys: this.#keys,
      uptime: systemUptime,
      providers: this.#providers,
      prices: this.#prices,
      clock: this.#clock,
      log: this.#log,
      newCallId: createIdSource('call', this.#clock),
      baggageTags: this.#config.baggageTags,
      webSocket: webSocketPath(this.#config.dataDir),
      shippedMark: () => this.#shippedMark,
      ledgerProblem: () => this.#health.sentence('ledger') ?? this.#ledgerSilence(),
      deliveriesWaiting: () => this.#deliveriesWaiting,
      nodes: () => this.#nodes,
      exported: () => this.#exported,
      listedNodes: () => this.#listedNodes,
      connections: () => this.#connections,
      raise: (alert) => this.#raise(alert),
      ended: () => this.#callEnded(),
      refused: () => this.#callEnded(),
    });
    await this.#listen(this.#gateway);
  }

  async close(): Promise<void> {
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

  /** Why the journal seems to be an older copy; null = it does not. */
  #olderJournal: string | null = null;
  #refusing: Journal = refusingJournal(new TollbookError('unavailable', 'The journal is not open.'));

  /**
   * Opens the journal; null = it can't be opened. Calls are then refused with the reason, and the ledger can still be
   * read.
   */
  #openJournal({ last, end }: JournalNotes): TurnJournal | null {
    const { config, clock } = { config: this.#config, clock: this.#clock };
    const files = dataFiles(config.dataDir);
    const onLostRefusals = (calls: number): void => this.#health.noteLostRefusals(calls);
    try {
      requireKnownJournal(files, last);
      this.#olderJournal = findOlderJournal(files.journal, end);
      return openJournal({
        folder: files.journal,
        sync: config.journalSync,
        clock,
        onProblem: (sentence) => this.#health.report('journal', sentence),
        onLostRefusals,
      });
    } catch (error) {
      if (!(error instanceof TollbookError)) throw error;
      this.#refusing = refusingJournal(error, onLostRefusals);
      this.#health.report('journal', error.message);
      return null;
    }
  }

  /** Ends the calls that a dead process left open. The provider may have charged for them. */
  #recover(journal: TurnJournal, limits: LimitsSync): void {
    const { lost, gap } = journal.recover((begin, early) => {
      const { contracted, list } = callPrices(this.#prices, begin, this.#priceProvider(begin.provider));
      const end = settleCall(begin, { ...NOTHING_SEEN, endedAt: limits.now(), usage: early }, contracted, list);
      return limits.recover(begin, list(begin.requestedModel ?? '')?.model ?? null, end);
    });
    if (lost > 0)
      this.#log.warn({ calls: lost }, 'calls were open when the last process died; their cost is uncertain');
    if (gap)
      this.#health.raiseAlert(
        'info',
        'journal_gap',
        'The last process did not close its journal; after a power loss its latest calls may be missing.',
      );
    if (this.#olderJournal !== null) this.#health.raiseAlert('critical', 'journal_older', this.#olderJournal);
    if (lost > 0) this.#callEnded();
  }

  #openLimits({ limits: snapshot, lease }: LedgerSnapshot, journal: Journal): LimitsSync {
    this.#shared = lease && this.#openShared(lease, journal);
    const limits = new LimitsSync({
      snapshot,
      wall: this.#clock,
      uptime: systemUptime,
      journal,
      shippedMark: () => this.#shippedMark,
      send: (message) => this.#ledger?.send(message),
      raise: (alert) => this.#raise(alert),
      over: (workspaceId, episode) => this.#ledger?.send({ type: 'alert-ended', workspaceId, episode }),
      mainWorkspace: DEFAULT_WORKSPACE,
      shared: this.#shared,
    });
    this.#limits = limits;
    for (const message of this.#earlyLimitChanges.take()) limits.receive(message);
    return limits;
  }

  #openShared(lease: LeaseStart, journal: Journal): SharedLimits {
    return new SharedLimits({
      ...lease,
      send: (message) => this.#ledger?.send(message),
      uptime: systemUptime,
      leaseUptime: sleeplessUptime(systemUptime, this.#clock),
      scheduler: systemScheduler,
      retry: () => this.#limits?.engine.retryWaiting(this.#limits.now()),
      places: () => this.#limits?.engine.sharedPlaces(this.#limits.now()) ?? [].values(),
      held: () => this.#limits?.engine.heldCounters() ?? new Set(),
      position: () => journal.endSeq,
      onTrouble: (error) => this.#noteLeaseTrouble(error),
    });
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

  #isLeaseTroubled = false;

  /** Logs the begin and the end of trouble: the runner tries again all the time. */
  #noteLeaseTrouble(error: unknown): void {
    if (this.#isLeaseTroubled === (error !== null)) return;
    this.#isLeaseTroubled = error !== null;
    if (error === null) this.#log.info('limits are shared with other nodes again');
    else this.#log.warn({ err: error }, 'the database does not share limits; calls go on from what was granted');
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
    const { host, port } = this.#config;
    server.listen({ port, host, backlog: LIMITS.connectionsWaitingMax });
    try {
      await once(server, 'listening');
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw new TollbookError(
        'unavailable',
        `Port ${port} on ${host} can't be used (${code}). Set SVC_PORT or SVC_HOST to another.`,
      );
    }
    const { address, port: taken, family } = server.address() as AddressInfo;
    this.url = `http://${family === 'IPv6' ? `[${address}]` : address}:${taken}`;
  }
}

const NOTHING_SEEN = {
  status: 0,
  stopped: 'crash',
  complete: false,
  errored: false,
  outputBytes: 0,
  bodyBytes: 0,
  model: null,
  requestId: null,
  responseId: null,
  firstByteMs: null,
} as const;
