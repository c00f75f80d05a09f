import type { LeaseAnswerMessage, LeaseMessageToLedger, LeaseQuestion } from '../ipc/lease-messages.ts';
import type { LeaseAnswer, LeaseRefusal, LeaseRequest } from '../leases/exchange.ts';
import type { AuthorityLink } from '../leases/lease-runner.ts';
import type { LeaseRegistration } from '../leases/node-leases.ts';
import type { HeldStatement } from '../storage/node-amounts.ts';

/** Questions without an answer. The ledger thread answers each; one that it had no time for is given up. */
const QUESTIONS_MAX = 32;

type Ask<Question> = Question extends LeaseQuestion ? Omit<Question, 'question'> : never;

interface OpenQuestion {
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** The way to the authority of leases: the ledger thread asks the database. */
export class LedgerAuthority implements AuthorityLink {
  readonly #send: (message: LeaseMessageToLedger) => void;
  readonly #open = new Map<number, OpenQuestion>();
  #asked = 0;

  constructor(send: (message: LeaseMessageToLedger) => void) {
    this.#send = send;
  }

  async register(_node: string, epoch: number): Promise<LeaseRegistration> {
    return await this.#ask<LeaseRegistration>({ type: 'ask-registration', epoch });
  }

  async exchange(request: LeaseRequest): Promise<LeaseAnswer | LeaseRefusal> {
    return await this.#ask<LeaseAnswer | LeaseRefusal>({ type: 'ask-exchange', request });
  }

  async leave(_node: string, epoch: number): Promise<void> {
    await this.#ask<undefined>({ type: 'ask-leave', epoch });
  }

  /** Returns the number of the newest change of limits, once this process works with all up to it. */
  async changes(): Promise<number> {
    return await this.#ask<number>({ type: 'ask-changes' });
  }

  /** Lets other nodes know what open calls hold. */
  async noteHeld(epoch: number, { isComplete, amounts }: HeldStatement): Promise<void> {
    await this.#ask<undefined>({ type: 'note-held', epoch, statement: { isComplete, amounts } });
  }

  answered(message: LeaseAnswerMessage): void {
    switch (message.type) {
      case 'answer-registration':
        return this.#take(message.question)?.resolve(message.registration);
      case 'answer-exchange':
        return this.#take(message.question)?.resolve(message.answer);
      case 'answer-leave':
      case 'answer-held':
        return this.#take(message.question)?.resolve(undefined);
      case 'answer-failed':
        return this.#take(message.question)?.reject(new Error(message.reason));
      default:
        message satisfies never;
    }
  }

  /** This process works with all changes of limits up to a number. */
  changesApplied(question: number, changes: number): void {
    this.#take(question)?.resolve(changes);
  }

  #take(question: number): OpenQuestion | undefined {
    const open = this.#open.get(question);
    this.#open.delete(question);
    return open;
  }

  async #ask<Answer>(ask: Ask<LeaseQuestion>): Promise<Answer> {
    this.#asked += 1;
    const question = this.#asked;
    this.#take(question - QUESTIONS_MAX)?.reject(new Error('The ledger thread does not answer.'));
    return await new Promise<Answer>((resolve, reject) => {
      this.#open.set(question, { resolve: (answer) => resolve(answer as Answer), reject });
      this.#send({ ...ask, question });
    });
  }
}
