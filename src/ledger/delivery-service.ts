import type { DeliverySender } from '../api/webhooks.ts';
import type { Config } from '../config.ts';
import { TollbookError } from '../domain/errors.ts';
import { webhookGuard } from '../domain/alerts/webhook-address.ts';
import type { SendResult } from '../notifications/deliveries/attempt.ts';
import { DeliveryRunner } from '../notifications/deliveries/delivery-runner.ts';
import type { WebhookMessage } from '../notifications/destinations/destination.ts';
import { findDestination } from '../notifications/destinations/destinations.ts';
import type { Clock } from '../lib/clock.ts';
import { createGuardedSender, type GuardedSender } from '../lib/http/guarded-sender.ts';
import { type HostLookup, refuseNow, systemLookup } from '../lib/http/guarded-lookup.ts';
import type { Log } from '../lib/log.ts';
import type { SendLimits } from '../lib/http/guarded-exchange.ts';
import { createMailer, type MailSender } from '../lib/http/mailer.ts';
import type { DeliveryAttempt, Delivery } from '../storage/records/delivery-records.ts';
import { runWithoutClaims } from '../storage/current-claims.ts';
import type { Records } from '../storage/records/records.ts';
import { buildNotice, buildTestNotice } from './delivery-notices.ts';

const NO_MAIL = 'No mail can be sent: the operator names a mail server with SVC_SMTP_URL.';

interface DeliveryServiceParts {
  readonly records: Records;
  readonly config: Pick<Config, 'baseUrl' | 'mail' | 'webhookAllow'>;
  readonly clock: Clock;
  /** Time that all processes on the database share. Default: `clock`. */
  readonly claimTime?: (() => Promise<number>) | null;
  readonly log: Log;
  /** Id of this process in its claims (`newRunnerId`). */
  readonly runner: string;
  /** Default: the system's lookup. */
  readonly lookup?: HostLookup;
  /** Default: `SEND_LIMITS`. */
  readonly sendLimits?: Partial<SendLimits>;
}

/** Sends alerts to webhooks. */
export class DeliveryService implements DeliverySender {
  readonly #parts: DeliveryServiceParts;
  readonly #sender: GuardedSender;
  /** null = no mail server configured. */
  readonly mailer: MailSender | null;
  readonly #deliverer: DeliveryRunner;

  constructor(parts: DeliveryServiceParts) {
    this.#parts = parts;
    const { records, config, clock, log } = parts;
    const guard = webhookGuard(config.webhookAllow);
    const { lookup, sendLimits, runner, claimTime = null } = parts;
    this.#sender = createGuardedSender({ guard, ...(lookup && { lookup }), ...(sendLimits && { limits: sendLimits }) });
    this.mailer = config.mail && createMailer(config.mail);
    this.#deliverer = new DeliveryRunner({
      records,
      clock,
      claimTime,
      log,
      findDestination: ({ type }) => findDestination(type),
      buildNotice: (delivery) => buildNotice(delivery, records, config.baseUrl),
      send: (message) => this.#send(message),
      runner,
      random: Math.random,
    });
  }

  start(): void {
    // Deliveries continue after the job that started them.
    runWithoutClaims(() => this.#deliverer.start()).catch((error: unknown) =>
      this.#parts.log.error({ err: error }, 'deliveries wait: the ledger could not be read'),
    );
  }

  /** Resolves when no delivery is due. */
  async drained(): Promise<void> {
    await this.#deliverer.drained();
  }

  async test(workspaceId: string, webhookId: string): Promise<{ delivery: Delivery; attempt: DeliveryAttempt }> {
    const { records, config, clock } = this.#parts;
    const webhook = await records.webhooks.get(workspaceId, webhookId);
    const workspace = await records.workspaces.get(workspaceId);
    return await this.#deliverer.test(buildTestNotice(webhook, workspace, config.baseUrl, clock()), webhook);
  }

  async checkAddress(url: string): Promise<void> {
    if (url.startsWith('mailto:')) {
      if (!this.mailer) throw new TollbookError('invalid', NO_MAIL, 'type');
      return;
    }
    const { config, lookup = systemLookup } = this.#parts;
    const refusal = await refuseNow(url, webhookGuard(config.webhookAllow), lookup);
    if (refusal !== null) throw new TollbookError('invalid', refusal, 'url');
  }

  async close(): Promise<void> {
    await Promise.all([this.#deliverer.close(), this.#sender.close()]);
    this.mailer?.close();
  }

  async #send(message: WebhookMessage): Promise<SendResult> {
    if (message.via === 'mail') return (await this.mailer?.send(message)) ?? { ok: false, error: NO_MAIL };
    const { url, headers, body } = message;
    const result = await this.#sender.send({ url, headers, body });
    if (result.ok) return { ok: true, reply: result };
    return { ok: false, error: result.message, isClosing: result.reason === 'closed' };
  }
}
