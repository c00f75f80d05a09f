import type { LeaseMessageToGateway, LeaseQuestion } from '../ipc/lease-messages.ts';
import type { LeaseStore } from '../storage/lease-store.ts';
import type { NodeAmounts } from '../storage/node-amounts.ts';

interface LeaseServiceParts {
  readonly leases: Pick<LeaseStore, 'register' | 'exchange' | 'leave' | 'changes'>;
  /** Default: nothing reads what open calls hold. */
  readonly nodeAmounts?: Pick<NodeAmounts, 'noteHeld'> | null;
  /** Id of this node. */
  readonly node: string;
  readonly send: (message: LeaseMessageToGateway | ChangesAnswer) => void;
  /** Sends the gateway the changes of all nodes that were committed before. */
  readonly applyChanges: () => Promise<void>;
}

interface ChangesAnswer {
  readonly type: 'answer-changes';
  readonly question: number;
  readonly changes: number;
}

/** Asks the database what the leases of the gateway need. */
export class LeaseService {
  readonly #parts: LeaseServiceParts;

  constructor(parts: LeaseServiceParts) {
    this.#parts = parts;
  }

  async answer(ask: LeaseQuestion): Promise<void> {
    const { question } = ask;
    try {
      this.#parts.send(await this.#answer(ask));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#parts.send({ type: 'answer-failed', question, reason });
    }
  }

  async #answer(ask: LeaseQuestion): Promise<LeaseMessageToGateway | ChangesAnswer> {
    const { leases, node, nodeAmounts } = this.#parts;
    const { question } = ask;
    switch (ask.type) {
      case 'ask-registration':
        return { type: 'answer-registration', question, registration: await leases.register(node, ask.epoch) };
      case 'ask-exchange':
        return { type: 'answer-exchange', question, answer: await leases.exchange(ask.request) };
      case 'ask-leave':
        await leases.leave(node, ask.epoch);
        return { type: 'answer-leave', question };
      case 'ask-changes':
        return { type: 'answer-changes', question, changes: await this.#readChanges() };
      case 'note-held':
        if ((await nodeAmounts?.noteHeld(node, ask.epoch, ask.statement)) === false)
          throw new Error('Another process of this node has started.');
        return { type: 'answer-held', question };
    }
  }

  /** Returns the number first: what it counts was committed then, and is sent before the answer. */
  async #readChanges(): Promise<number> {
    const { leases, applyChanges } = this.#parts;
    const changes = await leases.changes();
    await applyChanges();
    return changes;
  }
}
