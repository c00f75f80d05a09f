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
import { decideOutcome } from './decide-outcome.ts';
import type { Webhook } from '../../storage/records/webhooks.ts';

/** Webhooks that one process sends to concurrently. */
const QUEUES_MAX = 32;
/** A claim on a webhook expires after this time unless its process renews it. */
const CLAIM_MS = 60_000;
const RENEW_MS = 20_000;
/** After this time a running queue stops, so that the queue of another webhook can run. */
const QUEUE_MS_MAX = 30_000;

export interface DeliveryRunnerParts {
  readonly records: Pick<Records, 'webhooks'> & { readonly deliveries: DeliveryRecords };
  readonly findDestination: (webhook: Webhook) => WebhookDestination;
  /** Builds the notice of a delivery; null = its alert no longer exists. */
  readonly buildNotice: (delivery: Delivery) => Promise<WebhookNotice | null>;
  /** Takes less than a minute. Never throws. */
  readonly send: (message: WebhookMessage) => Promise<SendResult>;
  /** Id of this process, unique among the processes on the same store. */
  readonly runner: string;
  readonly clock: Clock;
  /** Time that all processes on the store share. Default: `clock`. */
  readonly claimTime?: (() => Promise<number>) | null;
  readonly log: Log;
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
}

/**
 * Sends queued deliveries: one after the other for each webhook, several webhooks concurrently. Only the process that
 * has claimed a webhook sends to it, so that several processes on one store send each delivery once. A delivery is
 * sent twice only if a process dies between the receiver's answer and recording it.
 */
export class DeliveryRunner {
  readonly #parts: DeliveryRunnerParts;
  /** Running queues, by webhook. */
  readonly #queues = new Map<string, Promise<void>>();
  #renewedAt = 0;
  #claiming: Promise<void> = Promise.resolve();
  #nextClaim: Promise<void> | null = null;
  #isClosed = false;

  constructor(parts: DeliveryRunnerParts) {
    this.#parts = parts;
  }

  /** Starts to send the deliveries that are due, without waiting for them. Call it every few seconds. */
  async start(): Promise<void> {
    if (this.#isClosed) return;
    // A running claim may have missed deliveries that were queued since, so another one follows.
    this.#nextClaim ??= this.#claiming.then(() => this.#claimNext());
    await this.#nextClaim;
  }

  /** Resolves when all due deliveries are done. */
  async drained(): Promise<void> {
    do {
      await Promise.all(this.#queues.values());
      await this.start();
    } while (this.#queues.size > 0);
  }

  /** Finishes the running attempts and starts no new ones. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#claiming;
    await Promise.all(this.#queues.values());
  }

  /** Sends one message immediately, outside the queue and even if the webhook is disabled, and records the result. */
  async test(notice: WebhookNotice, webhook: Webhook): Promise<{ delivery: Delivery; attempt: DeliveryAttempt }> {
    const { workspaceId, id: webhookId } = webhook;
    const { attempt } = await this.#send(webhook, notice);
    const content = { ...notice };
    const message: NewMessage = { workspaceId, webhookId, messageId: notice.id, kind: 'test', content };
    return { delivery: await this.#parts.records.deliveries.keep(message, attempt), attempt };
  }

  async #claimNext(): Promise<void> {
    this.#nextClaim = null;
    const claiming = this.#claim();
    this.#claiming = claiming.catch(() => {});
    await claiming;
  }

  async #claim(): Promise<void> {
    const { records, runner } = this.#parts;
    if (this.#isClosed) return;
    const now = await this.#claimTime();
    // The absolute difference also covers a clock that stepped back.
    if (Math.abs(now - this.#renewedAt) >= RENEW_MS) {
      if (this.#queues.size > 0) await records.deliveries.renew(runner, now + CLAIM_MS);
      this.#renewedAt = now;
    }
    const room = QUEUES_MAX - this.#queues.size;
    if (room <= 0) return;
    for (const claim of await records.deliveries.claim(runner, now, now + CLAIM_MS, room))
      // This process may still run the queue, although its claim expired while the process was suspended.
      if (!this.#queues.has(claim.webhookId)) this.#queues.set(claim.webhookId, this.#run(claim));
  }

  /** Processes whose clocks differ must agree on when a claim ends. */
  async #claimTime(): Promise<number> {
    const { clock, claimTime } = this.#parts;
    return (await claimTime?.()) ?? clock();
  }

  async #run(claim: WebhookClaim): Promise<void> {
    try {
      await this.#work(claim);
    } catch (error) {
      // A webhook that was removed in the meantime is not an error.
      if (!(error instanceof TollbookError && error.type === 'not_found'))
        this.#parts.log.error({ err: error, webhook: claim.webhookId }, 'webhook queue failed; will retry');
    }
    this.#queues.delete(claim.webhookId);
    this.start().catch((error: unknown) => this.#parts.log.error({ err: error }, 'cannot claim webhooks; will retry'));
  }

  async #work(claim: WebhookClaim): Promise<void> {
    const { records, runner, clock } = this.#parts;
    const began = clock();
    let current: WebhookClaim | null = claim;
    while (current && !this.#isClosed && Math.abs(clock() - began) < QUEUE_MS_MAX) {
      const delivery = await records.deliveries.next(claim.webhookId, await this.#claimTime());
      if (!delivery) break;
      current = await this.#deliver(current, delivery);
    }
    await records.deliveries.release(runner, claim.webhookId);
  }

  /** Makes one attempt. Returns the updated claim; null = send nothing more to this webhook for now. */
  async #deliver(claim: WebhookClaim, delivery: Delivery): Promise<WebhookClaim | null> {
    const { records, runner, log } = this.#parts;
    const webhook = await records.webhooks.get(delivery.workspaceId, delivery.webhookId);
    if (!webhook.enabled) return null;
    const { attempt, verdict, isClosing } = await this.#try(webhook, delivery);
    // Nothing was sent. The next process sends it, and this attempt does not count as a failure of the receiver.
    if (isClosing) return null;
    const { at } = attempt;
    const outcome = await this.#decide({ webhook, delivery, claim, verdict, at });
    const until = (await this.#claimTime()) + CLAIM_MS;
    const isKept = await records.deliveries.record(runner, delivery, attempt, outcome, until);
    if (isKept && outcome.disable !== null)
      log.warn({ alert: 'WEBHOOK_DISABLED', webhook: webhook.id }, outcome.disable);
    if (!isKept || outcome.disable !== null) return null;
    if (outcome.queue === null) return { ...claim, failures: 0, failingSince: null };
    if (outcome.queue.nextAt > at) return null;
    return { ...claim, failures: claim.failures + 1, failingSince: claim.failingSince ?? at };
  }

  async #decide({ webhook, delivery, claim, verdict, at }: JudgedAttempt): Promise<DeliveryOutcome> {
    const { records, random } = this.#parts;
    if (!verdict) return { state: 'failed', nextAt: at, queue: null, disable: null };
    const tried = { delivery, claim, verdict, at, chance: random() };
    if (verdict.outcome === 'delivered') return decideOutcome(tried);
    const { url } = await records.webhooks.get(webhook.workspaceId, webhook.id);
    // A failure of the old URL does not count against the new one.
    return url === webhook.url ? decideOutcome(tried) : { state: 'waiting', nextAt: at, queue: null, disable: null };
  }

  /**
   * Builds and sends a message. The verdict is null when there is nothing to send, now or later. A message that cannot
   * be built is retried a few times like a refused one, because the store may have failed temporarily.
   */
  async #try(webhook: Webhook, delivery: Delivery): Promise<AttemptResult> {
    const { buildNotice, clock, log } = this.#parts;
    try {
      const notice = await buildNotice(delivery);
      if (notice) return await this.#send(webhook, notice);
      return { attempt: unsent(clock(), 'The alert no longer exists.'), verdict: null, isClosing: false };
    } catch (error) {
      log.error({ err: error, delivery: delivery.id }, 'cannot build the message of a delivery');
      const attempt = unsent(clock(), 'The message could not be built. See the log for the reason.');
      return { attempt, verdict: { outcome: 'refused' }, isClosing: false };
    }
  }

  async #send(webhook: Webhook, notice: WebhookNotice): Promise<AttemptResult> {
    const { records, findDestination, send, clock } = this.#parts;
    const target: WebhookTarget = await records.webhooks.target(webhook.workspaceId, webhook.id);
    const destination = findDestination(webhook);
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
  /** State of the webhook when the message was sent. */
  readonly webhook: Webhook;
  readonly delivery: Delivery;
  readonly claim: WebhookClaim;
  readonly verdict: DeliveryVerdict | null;
  readonly at: number;
}

interface AttemptResult {
  readonly attempt: DeliveryAttempt;
  readonly verdict: DeliveryVerdict | null;
  /** This process is shutting down, so nothing was sent. */
  readonly isClosing: boolean;
}

function unsent(at: number, error: string): DeliveryAttempt {
  return { at, ms: 0, status: null, error, request: {}, response: null };
}
