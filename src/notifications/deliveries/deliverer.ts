import { TollbookError } from '../../domain/errors.ts';
import type {
  WebhookDestination,
  WebhookMessage,
  WebhookNotice,
  WebhookTarget,
  DeliveryVerdict,
} from '../destinations/destination.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type {
  DeliveryAttempt,
  WebhookClaim,
  Delivery,
  DeliveryRecords,
  NewMessage,
  DeliveryOutcome,
} from '../../storage/records/delivery-records.ts';
import type { Records } from '../../storage/records/records.ts';
import { toAttempt, type SendResult } from './attempt.ts';
import { decideOutcome } from './outcome.ts';
import type { Webhook } from '../../storage/records/webhooks.ts';

/** Webhooks that one process sends to at once. */
const LINES_MAX = 32;
/** A webhook whose runner says nothing for so long is anybody's. */
const CLAIM_MS = 60_000;
/** So often a runner says that it still works. */
const RENEW_MS = 20_000;
/** After so long a line lets the others have its place. */
const LINE_MS_MAX = 30_000;

export interface DeliveryRunnerParts {
  readonly records: Pick<Records, 'webhooks'> & { readonly deliveries: DeliveryRecords };
  readonly findDestination: (webhook: Webhook) => WebhookDestination;
  /** What a delivery says; null = what it was about is gone. */
  readonly noticeOf: (delivery: Delivery) => Promise<WebhookNotice | null>;
  /** Takes less than a minute and never throws. */
  readonly send: (message: WebhookMessage) => Promise<SendResult>;
  /** Unlike any other process's on the same store. */
  readonly runner: string;
  readonly clock: Clock;
  readonly log: Log;
  /** From 0 to 1. */
  readonly random: () => number;
}

/**
 * Sends what is queued: of each webhook one delivery after the other, of several webhooks at once. Whoever claims a
 * webhook is the only one to send to it, so that among several processes on one store each delivery is sent once,
 * and once more where a process dies between a receiver's answer and its record.
 */
export class DeliveryRunner {
  readonly #parts: DeliveryRunnerParts;
  /** What is under way, by webhook. */
  readonly #lines = new Map<string, Promise<void>>();
  #renewedAt = 0;
  #looking: Promise<void> = Promise.resolve();
  #nextLook: Promise<void> | null = null;
  #isClosed = false;

  constructor(parts: DeliveryRunnerParts) {
    this.#parts = parts;
  }

  /** Begins to send what is due; ends before it is sent. To be called every few seconds while something is under way. */
  async start(): Promise<void> {
    if (this.#isClosed) return;
    // A look that is under way may have missed what was queued since: another one comes after it.
    this.#nextLook ??= this.#looking.then(() => this.#look());
    await this.#nextLook;
  }

  /** Until nothing more is due now. */
  async drained(): Promise<void> {
    do {
      await Promise.all(this.#lines.values());
      await this.start();
    } while (this.#lines.size > 0);
  }

  /** Ends after the attempts that are under way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#looking;
    await Promise.all(this.#lines.values());
  }

  /** Sends one message at once, beside the line and whether the webhook is enabled or not, and keeps how it went. */
  async test(notice: WebhookNotice, webhook: Webhook): Promise<{ delivery: Delivery; attempt: DeliveryAttempt }> {
    const { workspaceId, id: webhookId } = webhook;
    const { attempt } = await this.#send(webhook, notice);
    const content = { ...notice };
    const message: NewMessage = { workspaceId, webhookId, messageId: notice.id, kind: 'test', content };
    return { delivery: await this.#parts.records.deliveries.keep(message, attempt), attempt };
  }

  async #look(): Promise<void> {
    this.#nextLook = null;
    const looking = this.#claim();
    this.#looking = looking.catch(() => {});
    await looking;
  }

  async #claim(): Promise<void> {
    const { records, runner, clock } = this.#parts;
    if (this.#isClosed) return;
    const now = clock();
    // Also where the clock stepped back.
    if (Math.abs(now - this.#renewedAt) >= RENEW_MS) {
      if (this.#lines.size > 0) await records.deliveries.renew(runner, now + CLAIM_MS);
      this.#renewedAt = now;
    }
    const room = LINES_MAX - this.#lines.size;
    if (room <= 0) return;
    for (const claim of await records.deliveries.claim(runner, now, now + CLAIM_MS, room))
      // After a long stop of this process its own claims may have run out.
      if (!this.#lines.has(claim.webhookId)) this.#lines.set(claim.webhookId, this.#run(claim));
  }

  async #run(claim: WebhookClaim): Promise<void> {
    try {
      await this.#work(claim);
    } catch (error) {
      // One that was removed meanwhile waits for nothing.
      if (!(error instanceof TollbookError && error.type === 'not_found'))
        this.#parts.log.error({ err: error, webhook: claim.webhookId }, 'a webhook could not be worked on; it waits');
    }
    this.#lines.delete(claim.webhookId);
    // Its place is free for another.
    this.start().catch((error: unknown) => this.#parts.log.error({ err: error }, 'deliveries wait'));
  }

  async #work(claim: WebhookClaim): Promise<void> {
    const { records, runner, clock } = this.#parts;
    const began = clock();
    let line: WebhookClaim | null = claim;
    while (line && !this.#isClosed && Math.abs(clock() - began) < LINE_MS_MAX) {
      const delivery = await records.deliveries.next(claim.webhookId, clock());
      if (!delivery) break;
      line = await this.#deliver(line, delivery);
    }
    await records.deliveries.release(runner, claim.webhookId);
  }

  /** How the line stands now; null = nothing more is sent to this webhook for now. */
  async #deliver(claim: WebhookClaim, delivery: Delivery): Promise<WebhookClaim | null> {
    const { records, runner, clock, log } = this.#parts;
    const webhook = await records.webhooks.get(delivery.workspaceId, delivery.webhookId);
    if (!webhook.enabled) return null;
    const { attempt, verdict, isClosing } = await this.#try(webhook, delivery);
    // The next process sends it; nothing is held against the receiver.
    if (isClosing) return null;
    const { at } = attempt;
    const outcome = await this.#outcomeOf({ webhook, delivery, claim, verdict, at });
    const isKept = await records.deliveries.record(runner, delivery, attempt, outcome, clock() + CLAIM_MS);
    if (isKept && outcome.disable !== null)
      log.warn({ alert: 'WEBHOOK_DISABLED', webhook: webhook.id }, outcome.disable);
    if (!isKept || outcome.disable !== null) return null;
    if (outcome.line === null) return { ...claim, failures: 0, failingSince: null };
    if (outcome.line.nextAt > at) return null;
    return { ...claim, failures: claim.failures + 1, failingSince: claim.failingSince ?? at };
  }

  async #outcomeOf({ webhook, delivery, claim, verdict, at }: JudgedAttempt): Promise<DeliveryOutcome> {
    const { records, random } = this.#parts;
    if (!verdict) return { state: 'failed', nextAt: at, line: null, disable: null };
    const tried = { delivery, claim, verdict, at, chance: random() };
    if (verdict.outcome === 'delivered') return decideOutcome(tried);
    const { url } = await records.webhooks.get(webhook.workspaceId, webhook.id);
    // What the old address said of itself is not held against the new one.
    return url === webhook.url ? decideOutcome(tried) : { state: 'waiting', nextAt: at, line: null, disable: null };
  }

  /**
   * Without a verdict there is nothing to send, and never will be. What can't be made steps aside like a message that
   * is refused, and is made anew a few times: the store may have been in trouble.
   */
  async #try(webhook: Webhook, delivery: Delivery): Promise<AttemptResult> {
    const { noticeOf, clock, log } = this.#parts;
    try {
      const notice = await noticeOf(delivery);
      if (notice) return await this.#send(webhook, notice);
      return { attempt: unsent(clock(), 'The alert that it was about is gone.'), verdict: null, isClosing: false };
    } catch (error) {
      log.error({ err: error, delivery: delivery.id }, 'a message could not be made');
      const attempt = unsent(clock(), 'The message could not be made; the log says why.');
      return { attempt, verdict: { outcome: 'refused' }, isClosing: false };
    }
  }

  async #send(webhook: Webhook, notice: WebhookNotice): Promise<AttemptResult> {
    const { records, findDestination: destinationOf, send, clock } = this.#parts;
    const target: WebhookTarget = await records.webhooks.target(webhook.workspaceId, webhook.id);
    const destination = destinationOf(webhook);
    const at = clock();
    const message = destination.message(notice, target, at);
    const sent = await send(message);
    const verdict = sent.ok ? destination.judge(sent.reply) : ({ outcome: 'later', afterMs: null } as const);
    const isDelivered = verdict.outcome === 'delivered';
    const isClosing = !sent.ok && sent.isClosing === true;
    return { verdict, isClosing, attempt: toAttempt({ message, target, sent, isDelivered, at, ms: clock() - at }) };
  }
}

interface JudgedAttempt {
  /** As it was when the message was sent. */
  readonly webhook: Webhook;
  readonly delivery: Delivery;
  readonly claim: WebhookClaim;
  readonly verdict: DeliveryVerdict | null;
  readonly at: number;
}

interface AttemptResult {
  readonly attempt: DeliveryAttempt;
  readonly verdict: DeliveryVerdict | null;
  /** It was not even tried. */
  readonly isClosing: boolean;
}

function unsent(at: number, error: string): DeliveryAttempt {
  return { at, ms: 0, status: null, error, request: {}, response: null };
}
