import type { Config } from '../config.ts';
import type { MessageToGateway, MessageToWorkersLedger } from '../ipc/messages.ts';
import { openJournalReader } from '../journal/journal-reader.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { AlertService } from './alert-service.ts';
import { workerJournal } from './data-folder.ts';
import { GatewayLink } from './gateway-link.ts';
import type { Ledger } from './ledger.ts';

type WorkerJoined = Extract<MessageToWorkersLedger, { type: 'worker-joined' }>;

interface WorkerLinkParts {
  readonly ledger: Ledger;
  readonly alerts: AlertService;
  readonly config: Pick<Config, 'dataDir' | 'nodeName'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** The workers that the ledger thread serves. Each one joins when its process has opened its journal. */
export class WorkerLinks implements Iterable<GatewayLink> {
  readonly #links = new Map<number, GatewayLink>();
  /** Ends when the last process of a worker is gone and its ended calls are shipped. */
  readonly #served = new Map<number, Promise<void>>();
  /** The last message of its kind: workers that join later need it. */
  #connections: MessageToGateway | null = null;

  [Symbol.iterator](): Iterator<GatewayLink> {
    return [...this.#links.values()][Symbol.iterator]();
  }

  /** Sends a message to all workers. */
  send(message: MessageToGateway): void {
    if (message.type === 'connections-changed') this.#connections = message;
    for (const link of this.#links.values()) link.send(message);
  }

  /** Serves a process of a worker until it asks to be left, or has died, which closes its port. */
  async join(parts: WorkerLinkParts, joined: WorkerJoined): Promise<void> {
    const { worker, port } = joined;
    const hasDied = new Promise<boolean>((resolve) => port.once('close', () => resolve(true)));
    const former = this.#served.get(worker);
    const served = this.#serve(parts, joined, hasDied, former);
    this.#served.set(worker, served);
    await served;
  }

  /** @param former the same work for the former process of the worker, which may have died a moment ago */
  async #serve(
    parts: WorkerLinkParts,
    joined: WorkerJoined,
    hasDied: Promise<boolean>,
    former: Promise<void> | undefined,
  ): Promise<void> {
    await former;
    const { worker, port } = joined;
    const isLeft = Promise.withResolvers<boolean>();
    try {
      const link = openLink(parts, joined, () => isLeft.resolve(false));
      await this.#start(worker, link);
      if (await Promise.race([hasDied, isLeft.promise])) await link.abandon();
      else await this.#leave(worker, link);
    } catch (error) {
      parts.log.error({ err: error, worker }, 'a worker could not be served');
      port.postMessage(startFailed(error));
    } finally {
      this.#links.delete(worker);
    }
  }

  async #start(worker: number, link: GatewayLink): Promise<void> {
    // Before the snapshot is read: the worker gets all later changes.
    this.#links.set(worker, link);
    await link.start();
    link.listen();
    link.send({ type: 'ready', snapshot: await link.snapshot(), demo: null, claimCode: null });
    if (this.#connections) link.send(this.#connections);
  }

  async #leave(worker: number, link: GatewayLink): Promise<void> {
    await link.ship();
    this.#links.delete(worker);
    await link.close();
    link.send({ type: 'closed' });
  }
}

function openLink(
  { ledger, alerts, config, clock, log }: WorkerLinkParts,
  { worker, journalOpen, port }: WorkerJoined,
  onClose: () => void,
): GatewayLink {
  const journal = workerJournal(config.dataDir, worker);
  const reader = journalOpen ? openJournalReader(journal.folder) : null;
  const services = ledger.serveWorker(reader?.journalId ?? null, (message) => port.postMessage(message));
  const name = `${config.nodeName} worker ${worker}`;
  return new GatewayLink({ ledger, services, alerts, clock, log, port, journal, reader, name, onClose });
}

function startFailed(error: unknown): MessageToGateway {
  return { type: 'start-failed', message: error instanceof Error ? error.message : String(error) };
}
