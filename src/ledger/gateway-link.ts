import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { LIMITS } from '../config.ts';
import type { LedgerSnapshot, MessageToGateway, MessageToLedger } from '../ipc/messages.ts';
import type { JournalReader } from '../journal/journal-reader.ts';
import type { JournalEnd } from '../journal/segments.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { NODE_SEEN_EVERY_MS } from '../storage/records/nodes.ts';
import { VERSION } from '../version.ts';
import type { AlertService } from './alert-service.ts';
import type { JournalPlace } from './data-folder.ts';
import type { GatewayServices, Ledger } from './ledger.ts';
import { NodeService } from './node-service.ts';
import { createShipper, type EntryShipper } from './ship.ts';
import { shipAll } from './ship-folder.ts';

export interface GatewayLinkParts {
  readonly ledger: Ledger;
  readonly services: GatewayServices;
  readonly alerts: AlertService;
  readonly clock: Clock;
  readonly log: Log;
  readonly port: MessagePort;
  readonly journal: JournalPlace;
  /** The open journal; null = it can't be opened, and no call is admitted. */
  readonly reader: JournalReader | null;
  /** Name of the node in lists. */
  readonly name: string;
  /** The gateway asks to be left: all its calls are in the journal. */
  readonly onClose: () => void;
}

/** A gateway, as the ledger thread serves it: ships its journal, and answers its messages. */
export class GatewayLink {
  readonly #parts: GatewayLinkParts;
  readonly #node: NodeService | null;
  readonly #shipper: EntryShipper | null;
  #journalEnd: JournalEnd | null = null;
  #isListening = false;

  constructor(parts: GatewayLinkParts) {
    this.#parts = parts;
    this.#node = this.#createNode();
    this.#shipper = this.#createShipper();
  }

  send(message: MessageToGateway): void {
    this.#parts.port.postMessage(message);
  }

  /** Adopts the journal, and ships all of it. Counters are complete only then, so the gateway opens after this. */
  async start(): Promise<void> {
    const { ledger, reader, journal, log } = this.#parts;
    if (reader) await ledger.records.journal.adopt(reader.journalId, journal.place);
    await this.#node?.start();
    if (this.#shipper) await shipAll(this.#shipper, log);
  }

  /** Takes messages from now on, also waiting ones. */
  listen(): void {
    const { port } = this.#parts;
    this.#isListening = true;
    port.on('message', (message: MessageToLedger) => this.#isListening && this.#take(message));
    // Node crashes when it reads from a closed port.
    port.once('close', () => (this.#isListening = false));
  }

  /** Returns the gateway's initial state. */
  async snapshot(): Promise<LedgerSnapshot> {
    return await this.#parts.services.snapshot();
  }

  /** Records how far the journal goes, so that the next start notices an older copy of it. */
  async noteJournalEnd(): Promise<void> {
    const { ledger, reader, journal } = this.#parts;
    const end = reader?.end() ?? null;
    if (end === null || (end.segment === this.#journalEnd?.segment && end.offset === this.#journalEnd.offset)) return;
    this.#journalEnd = end;
    await ledger.records.journal.noteEnd(end, journal.place);
  }

  /** Ships what is in the journal. */
  async ship(): Promise<void> {
    await this.#shipper?.close(AbortSignal.timeout(LIMITS.closeGraceMsMax));
  }

  /** Leaves the gateway, whose calls were shipped. */
  async close(): Promise<void> {
    const { reader, services } = this.#parts;
    this.#isListening = false;
    await this.noteJournalEnd();
    reader?.close();
    services.leave();
    await this.#node?.close();
  }

  /** Ships what a dead gateway left in its journal, so far as it had ended, and leaves it. Its next process goes on. */
  async abandon(): Promise<void> {
    const { reader, services } = this.#parts;
    this.#isListening = false;
    services.leave();
    await this.ship();
    reader?.close();
    this.#node?.abandon();
  }

  #take(message: MessageToLedger): void {
    const { services, alerts, onClose } = this.#parts;
    switch (message.type) {
      case 'calls-committed':
        this.#node?.committed(message.endSeq);
        return this.#shipper?.poke();
      case 'alert-raised':
      case 'alert-ended':
        return alerts.take(message);
      case 'limit-installed':
        return this.#shipper?.stopAt(message.endSeq, () => services.limits.installed(message));
      case 'ask-agents':
        return this.#shipper?.stopAt(message.endSeq, () => services.limits.readAgents(message));
      case 'ask-counters':
        return this.#shipper?.stopAt(message.endSeq, () => services.limits.readCounters(message));
      case 'ask-registration':
      case 'ask-exchange':
      case 'ask-leave':
      case 'ask-changes':
      case 'note-held':
        return void services.leases?.answer(message);
      case 'ask-totals':
        return void this.#logFailure(services.limits.sendTotals(message.places));
      case 'mark-lost':
        return this.#shipper?.reread();
      case 'answer-limits':
      case 'answer-applied':
        return services.limits.answered(message);
      case 'close':
        return onClose();
      default:
        message satisfies never;
    }
  }

  /** Processes waiting messages in order, before the event loop delivers them. */
  #takeWaiting(): void {
    if (!this.#isListening) return;
    for (;;) {
      const waiting: { message: MessageToLedger } | undefined = receiveMessageOnPort(this.#parts.port);
      if (!waiting) return;
      this.#take(waiting.message);
    }
  }

  #createNode(): NodeService | null {
    const { ledger, reader, name, clock, log } = this.#parts;
    if (!reader) return null;
    return new NodeService({
      nodes: ledger.records.nodes,
      node: { id: reader.journalId, name, version: VERSION },
      everyMs: ledger.hasNodes ? NODE_SEEN_EVERY_MS.shared : NODE_SEEN_EVERY_MS.alone,
      clock,
      log,
    });
  }

  #createShipper(): EntryShipper | null {
    const { ledger, reader } = this.#parts;
    if (!reader) return null;
    const shipper = createShipper({
      reader,
      store: ledger.shipping,
      takeMessages: () => this.#takeWaiting(),
      batchEntriesMax: LIMITS.shipBatchEntriesMax,
      retryMs: LIMITS.shipRetryMs,
      onShipped: (mark) => {
        this.#node?.shipped(mark);
        this.send({ type: 'calls-shipped', mark });
      },
      onProblem: (sentence) => this.send({ type: 'problem-changed', sentence }),
      onMissing: (calls) => this.send({ type: 'calls-missing', calls }),
    });
    ledger.onReplaced(() => shipper.reread());
    return shipper;
  }

  async #logFailure(work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      this.#parts.log.error({ err: error }, 'the ledger thread failed at a message');
    }
  }
}
