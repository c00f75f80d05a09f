import { createServer, type Server } from 'node:http';
import { chmodSync, rmSync } from 'node:fs';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { getRequestListener } from '@hono/node-server';
import { LIMITS } from '../config.ts';
import { ERROR_STATUS, TollbookError } from '../domain/errors.ts';
import { openJournalReader } from '../journal/journal-reader.ts';
import { lowerThreadPriority } from '../lib/concurrency/thread-priority.ts';
import { systemClock, systemScheduler, systemUptime } from '../lib/clock.ts';
import { PastClock } from '../demo/past-clock.ts';
import { createLog } from '../lib/log.ts';
import { readSite } from '../lib/http/site-files.ts';
import { controlSocketPath, webSocketPath } from '../lib/fs/socket-path.ts';
import { ownJournal } from './data-folder.ts';
import { drainOwnJournal, drainWorkers } from './drain-journal.ts';
import { GatewayLink } from './gateway-link.ts';
import { AlertService } from './alert-service.ts';
import { type Ledger, openLedger } from './ledger.ts';
import type { LedgerThreadData, MessageToGateway, MessageToWorkersLedger } from '../ipc/messages.ts';
import { SharedClock } from './shared-clock.ts';
import { WorkerLinks } from './worker-links.ts';
import { fileURLToPath } from 'node:url';

/** Folder of the built dashboard, from the sources and from compiled code. */
export const DASHBOARD_FOLDER = fileURLToPath(new URL('../../dist/dashboard', import.meta.url));

const PRIVATE = 0o600;
/** Interval of heartbeats. */
const ALIVE_MS = 5_000;
/**
 * Steps of `nice` by which this thread gives way to calls. With five it still gets a quarter of a processor that the gateway could use
 * alone, and it needs a fifth to record what the gateway can proxy.
 */
const LOWER_PRIORITY_BY = 5;
const { config, demo, hasWorkers, journalOpen } = workerData as LedgerThreadData;
const log = createLog({ level: config.logLevel });
const sharedClock = new SharedClock({ wall: systemClock, uptime: systemUptime, scheduler: systemScheduler });

function postToGateway(message: MessageToGateway): void {
  parentPort?.postMessage(message);
}

/** Parts that are closed with this thread. */
interface ThreadParts {
  readonly ledger: Ledger;
  readonly alerts: AlertService;
  readonly servers: readonly Server[];
  readonly links: Iterable<GatewayLink>;
}

async function run(port: MessagePort): Promise<void> {
  if (hasWorkers) return await serveWorkers(port);
  const clock = new PastClock(systemClock);
  const journal = ownJournal(config);
  const reader = journalOpen ? openJournalReader(journal.folder) : null;
  const ledger = await openLedger({
    config,
    clock: demo ? clock.now : sharedClock.now,
    log,
    nodeId: reader?.journalId ?? null,
    demo,
    sendToGateway: postToGateway,
    site: readSite(DASHBOARD_FOLDER),
  });
  if (ledger.readSharedTime) await sharedClock.follow(ledger.readSharedTime);
  // Those of an earlier service. Not where a database has several nodes: their journals are theirs.
  if (config.databaseUrl === null) await drainWorkers({ ledger, config, clock: systemClock, log });
  const alerts = new AlertService({ store: (alert) => ledger.receiveAlert(alert), log });
  const name = config.nodeName;
  const services = ledger.ownGateway;
  let isClosing = false;
  const onClose = (): void => {
    isClosing = true;
    void logFailure(closeAll({ ledger, alerts, servers, links: [link] }, port));
  };
  const link = new GatewayLink({
    ledger,
    services,
    alerts,
    clock: sharedClock.now,
    log,
    port,
    journal,
    reader,
    name,
    onClose,
  });
  await link.start();
  const servers = await openSockets(ledger);
  link.listen();
  // No other start waits for what only the demo needs.
  const seeds = demo ? await import('./seed-demo.ts') : null;
  const demoRecords = (await seeds?.makeDemoLedgerRecords(ledger, config, clock)) ?? null;
  const claimCode = demo ? null : await offerClaim(ledger);
  postToGateway({ type: 'ready', snapshot: await link.snapshot(), demo: demoRecords, claimCode });
  await keepWorking(ledger, [link], postToGateway);
  if (!seeds || !demoRecords) return;
  await seeds.seedDemoLedger(ledger, demoRecords, config, systemClock).catch((error: unknown) => {
    // Who stops the demo early closes the ledger under it.
    if (!isClosing) throw error;
  });
}

async function serveWorkers(port: MessagePort): Promise<void> {
  const links = new WorkerLinks();
  const send = (message: MessageToGateway): void => links.send(message);
  const ledger = await openLedger({
    config,
    clock: systemClock,
    log,
    hasWorkers: true,
    sendToGateway: send,
    site: readSite(DASHBOARD_FOLDER),
  });
  await drainOwnJournal({ ledger, config, clock: systemClock, log });
  await drainWorkers({ ledger, config, clock: systemClock, log });
  const alerts = new AlertService({ store: (alert) => ledger.receiveAlert(alert), log });
  const servers = await openSockets(ledger);
  port.on('message', (message: MessageToWorkersLedger) => {
    if (message.type === 'worker-joined')
      void logFailure(links.join({ ledger, alerts, config, clock: systemClock, log }, message));
    else void logFailure(closeAll({ ledger, alerts, servers, links }, port));
  });
  const hasKeys = (await ledger.records.keys.listForGateway()).length > 0;
  postToGateway({ type: 'open-for-workers', claimCode: await offerClaim(ledger), hasKeys });
  await keepWorking(ledger, links, send);
}

/** Follows changes, runs the jobs, and says to the gateways every few seconds that this thread works. */
async function keepWorking(
  ledger: Ledger,
  links: Iterable<GatewayLink>,
  send: (message: MessageToGateway) => void,
): Promise<void> {
  // Not earlier: the gateway waits for the start. Not where gateways share limits: calls wait for what this thread gets them.
  if (!ledger.hasNodes) await lowerThreadPriority(LOWER_PRIORITY_BY);
  ledger.followChanges();
  await ledger.startJobs();
  setInterval(() => void sendHeartbeat(ledger, send), ALIVE_MS).unref();
  setInterval(() => {
    for (const link of links) void logFailure(link.noteJournalEnd());
  }, ALIVE_MS).unref();
}

/** Creates a new owner link at each start, so that an old link is soon useless. */
async function offerClaim({ records: { users } }: Ledger): Promise<string | null> {
  return (await users.claimed()) ? null : await users.offerClaim('system');
}

async function sendHeartbeat(ledger: Ledger, send: (message: MessageToGateway) => void): Promise<void> {
  try {
    const [deliveriesWaiting, nodes] = [await ledger.records.deliveries.waiting(), await ledger.countNodes()];
    const [exported, listed] = [ledger.exporter?.counts ?? null, await ledger.listNodes()];
    send({ type: 'heartbeat', deliveriesWaiting, nodes, exported, listed });
  } catch (error) {
    log.error({ err: error }, 'the number of waiting deliveries and of nodes could not be read');
  }
}

function openSockets(ledger: Ledger): Promise<Server[]> {
  return Promise.all([
    listenOn(ledger, 'public', webSocketPath(config.dataDir)),
    listenOn(ledger, 'owner', controlSocketPath(config.dataDir)),
  ]);
}

/** Serves the API on a socket; the socket determines the caller. */
function listenOn(ledger: Ledger, caller: 'owner' | 'public', path: string): Promise<Server> {
  // A killed service leaves its socket behind. The folder lock guarantees that no process uses it.
  if (process.platform !== 'win32') rmSync(path, { force: true });
  const listener = getRequestListener((request) => ledger.fetch(request, { caller }), { errorHandler: refuseTarget });
  // The gateway has checked the size of the headers. Rewritten, they may be a little longer.
  const server = createServer({ maxHeaderSize: 2 * LIMITS.headerBytesMax }, (req, res) => void listener(req, res));
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ path, backlog: LIMITS.connectionsWaitingMax }, () => {
      if (process.platform !== 'win32') chmodSync(path, PRIVATE);
      resolve(server);
    });
  });
}

/** Refuses a host or path that is not a valid URL before it reaches the API. */
function refuseTarget(error: unknown): Response {
  log.debug({ err: error }, 'a request without a readable address');
  const sentence = 'The host or the path of this request is not well-formed.';
  return Response.json({ error: sentence, type: 'invalid' }, { status: ERROR_STATUS.invalid });
}

async function closeAll({ ledger, alerts, servers, links }: ThreadParts, port: MessagePort): Promise<void> {
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
  for (const link of links) await link.ship();
  sharedClock.close();
  await alerts.close();
  for (const link of links) await link.close();
  await ledger.close();
  postToGateway({ type: 'closed' });
  port.close();
}

async function logFailure(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    log.error({ err: error }, 'the ledger thread failed at a message');
  }
}

try {
  if (parentPort) await run(parentPort);
} catch (error) {
  if (!(error instanceof TollbookError)) log.error({ err: error }, 'the ledger could not be opened');
  postToGateway({ type: 'start-failed', message: error instanceof Error ? error.message : String(error) });
  // Ends this thread only, with everything open in it. The main thread waits for its exit.
  process.exit(1);
}
