import { createServer, type Server } from 'node:http';
import { chmodSync, rmSync } from 'node:fs';
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { getRequestListener } from '@hono/node-server';
import { LIMITS } from '../config.ts';
import { ERROR_STATUS, TollbookError } from '../domain/errors.ts';
import { type JournalReader, openJournalReader } from '../journal/journal-reader.ts';
import type { JournalEnd } from '../journal/segments.ts';
import { systemClock, systemScheduler, systemUptime } from '../lib/clock.ts';
import { makeDemoSecrets } from '../demo/seed.ts';
import { PastClock } from '../demo/past-clock.ts';
import { createLog } from '../lib/log.ts';
import { readSite } from '../lib/http/site-files.ts';
import { controlSocketPath, webSocketPath } from '../lib/fs/socket-path.ts';
import { dataFiles } from './data-folder.ts';
import { AlertService } from './alert-service.ts';
import { type Ledger, openLedger } from './ledger.ts';
import type { LedgerThreadData, MessageToGateway, MessageToLedger } from '../ipc/messages.ts';
import { NodeService } from './node-service.ts';
import { SharedClock } from './shared-clock.ts';
import { createShipper, type EntryShipper } from './ship.ts';
import { NODE_SEEN_EVERY_MS } from '../storage/records/nodes.ts';
import { VERSION } from '../version.ts';
import { fileURLToPath } from 'node:url';

/** Folder of the built dashboard, from the sources and from compiled code. */
export const DASHBOARD_FOLDER = fileURLToPath(new URL('../../dist/dashboard', import.meta.url));

const PRIVATE = 0o600;
/** Interval of heartbeats. */
const ALIVE_MS = 5_000;
/** Interval of progress logs during a long start. */
const PROGRESS_MS = 1_000;
const { config, demo, journalOpen } = workerData as LedgerThreadData;
const log = createLog({ level: config.logLevel });
const sharedClock = new SharedClock({ wall: systemClock, uptime: systemUptime, scheduler: systemScheduler });

function postToGateway(message: MessageToGateway): void {
  parentPort?.postMessage(message);
}

async function run(): Promise<void> {
  const clock = new PastClock(systemClock);
  const site = readSite(DASHBOARD_FOLDER);
  const reader = journalOpen ? openJournalReader(dataFiles(config.dataDir).journal) : null;
  const ledger = await openLedger({
    config,
    clock: demo ? clock.now : sharedClock.now,
    log,
    nodeId: reader?.journalId ?? null,
    demo,
    sendToGateway: postToGateway,
    site,
  });
  if (ledger.readSharedTime) await sharedClock.follow(ledger.readSharedTime);
  if (reader) await ledger.records.journal.adopt(reader.journalId);
  let processMessage: ((message: MessageToLedger) => void) | null = null;
  const node = reader && openNode(ledger, reader);
  await node?.start();
  const takeMessages = (): void => void (processMessage && takeWaitingMessages(processMessage));
  const shipper = reader && openShipper({ ledger, reader, node, takeMessages });
  if (shipper) await shipAll(shipper);
  const alerts = new AlertService({ store: (alert) => ledger.receiveAlert(alert), log });
  const servers = await Promise.all([
    listenOn(ledger, 'public', webSocketPath(config.dataDir)),
    listenOn(ledger, 'owner', controlSocketPath(config.dataDir)),
  ]);
  const parts = { ledger, node, shipper, reader, alerts, servers };
  const take = (message: MessageToLedger): void => takeMessage(parts, message);
  parentPort?.on('message', take);
  processMessage = take;
  const demoSecrets = demo ? await clock.longAgo(() => makeDemoSecrets(ledger.records)) : null;
  const claimCode = demo ? null : await offerClaim(ledger);
  postToGateway({ type: 'ready', snapshot: await ledger.snapshot(), demo: demoSecrets, claimCode });
  ledger.followChanges();
  await ledger.startJobs();
  setInterval(() => void sendHeartbeat(ledger), ALIVE_MS).unref();
  if (reader) setInterval(() => void logFailure(noteJournalEnd(ledger, reader)), ALIVE_MS).unref();
  if (demoSecrets) {
    // No other start waits for what only the demo needs.
    const { seedDemoLedger: furnish } = await import('./seed-demo.ts');
    await furnish(ledger, demoSecrets, config, systemClock);
  }
}

function takeMessage(parts: ThreadParts, message: MessageToLedger): void {
  const { ledger, node, shipper, alerts } = parts;
  switch (message.type) {
    case 'calls-committed':
      node?.committed(message.endSeq);
      return shipper?.poke();
    case 'alert-raised':
    case 'alert-ended':
      return alerts.take(message);
    case 'limit-installed':
      return shipper?.stopAt(message.endSeq, () => ledger.limits.installed(message));
    case 'ask-agents':
      return shipper?.stopAt(message.endSeq, () => ledger.limits.readAgents(message));
    case 'ask-counters':
      return shipper?.stopAt(message.endSeq, () => ledger.limits.readCounters(message));
    case 'ask-registration':
    case 'ask-exchange':
    case 'ask-leave':
    case 'ask-changes':
    case 'note-held':
      return void ledger.leases?.answer(message);
    case 'ask-totals':
      return void logFailure(ledger.limits.sendTotals(message.places));
    case 'mark-lost':
      return shipper?.reread();
    case 'answer-limits':
    case 'answer-applied':
      return ledger.limits.answered(message);
    case 'close':
      return void logFailure(closeAll(parts));
    default:
      message satisfies never;
  }
}

/** Creates a new owner link at each start, so that an old link is soon useless. */
async function offerClaim({ records: { users } }: Ledger): Promise<string | null> {
  return (await users.claimed()) ? null : await users.offerClaim('system');
}

async function sendHeartbeat(ledger: Ledger): Promise<void> {
  try {
    const [deliveriesWaiting, nodes] = [await ledger.records.deliveries.waiting(), await ledger.countNodes()];
    const [exported, listed] = [ledger.exporter?.counts ?? null, await ledger.listNodes()];
    postToGateway({ type: 'heartbeat', deliveriesWaiting, nodes, exported, listed });
  } catch (error) {
    log.error({ err: error }, 'the number of waiting deliveries and of nodes could not be read');
  }
}

let journalEnd: JournalEnd | null = null;

/** Records how far the journal goes, so that the next start notices an older copy of it. */
async function noteJournalEnd({ records }: Ledger, reader: JournalReader): Promise<void> {
  const end = reader.end();
  if (end === null || (end.segment === journalEnd?.segment && end.offset === journalEnd.offset)) return;
  journalEnd = end;
  await records.journal.noteEnd(end);
}

/** Ships the whole journal. Counters are complete only then, so the gateway opens after this. */
async function shipAll(shipper: EntryShipper): Promise<void> {
  await shipper.start();
  const began = performance.now();
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - began) / 1_000);
    log.info({ seconds }, 'calls of the last run are being recorded; the gateway opens after that');
  }, PROGRESS_MS);
  await shipper.caughtUp();
  clearInterval(timer);
}

/** Processes waiting messages in order, before the event loop delivers them. */
function takeWaitingMessages(handle: (message: MessageToLedger) => void): void {
  if (!parentPort) return;
  for (;;) {
    const waiting: { message: MessageToLedger } | undefined = receiveMessageOnPort(parentPort);
    if (!waiting) return;
    handle(waiting.message);
  }
}

function openNode({ records, isShared }: Ledger, { journalId }: JournalReader): NodeService {
  return new NodeService({
    nodes: records.nodes,
    node: { id: journalId, name: config.nodeName, version: VERSION },
    everyMs: isShared ? NODE_SEEN_EVERY_MS.shared : NODE_SEEN_EVERY_MS.alone,
    clock: sharedClock.now,
    log,
  });
}

interface ShipperParts {
  readonly ledger: Ledger;
  readonly reader: JournalReader;
  readonly node: NodeService | null;
  readonly takeMessages: () => void;
}

function openShipper({ ledger, reader, node, takeMessages }: ShipperParts): EntryShipper {
  const shipper = createShipper({
    reader,
    store: ledger.shipping,
    takeMessages,
    batchEntriesMax: LIMITS.shipBatchEntriesMax,
    retryMs: LIMITS.shipRetryMs,
    onShipped: (mark) => {
      node?.shipped(mark);
      postToGateway({ type: 'calls-shipped', mark });
    },
    onProblem: (sentence) => postToGateway({ type: 'problem-changed', sentence }),
    onMissing: (calls) => postToGateway({ type: 'calls-missing', calls }),
  });
  ledger.onReplaced(() => shipper.reread());
  return shipper;
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

interface ThreadParts {
  readonly ledger: Ledger;
  readonly node: NodeService | null;
  readonly shipper: EntryShipper | null;
  readonly reader: JournalReader | null;
  readonly alerts: AlertService;
  readonly servers: readonly Server[];
}

async function closeAll({ ledger, node, shipper, reader, alerts, servers }: ThreadParts): Promise<void> {
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
  await shipper?.close(AbortSignal.timeout(LIMITS.closeGraceMsMax));
  sharedClock.close();
  await alerts.close();
  if (reader) await noteJournalEnd(ledger, reader);
  reader?.close();
  await node?.close();
  await ledger.close();
  postToGateway({ type: 'closed' });
  parentPort?.close();
}

async function logFailure(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    log.error({ err: error }, 'the ledger thread failed at a message');
  }
}

try {
  await run();
} catch (error) {
  if (!(error instanceof TollbookError)) log.error({ err: error }, 'the ledger could not be opened');
  postToGateway({ type: 'start-failed', message: error instanceof Error ? error.message : String(error) });
  // Ends this thread only, with everything open in it. The main thread waits for its exit.
  process.exit(1);
}
