import {
  type DeliveryShape,
  type ListedWebhook,
  type WebhookDetailsShape,
  type WebhookShape,
} from '../contract/webhooks.ts';
import { type Caller, endpoint } from './http/endpoint.ts';
import { toIso } from '../domain/time/period.ts';
import type { DeliveryAttempt, Delivery } from '../storage/records/delivery-records.ts';
import { isoOrNull } from '../contract/fields.ts';
import { managesAll } from './permissions.ts';
import { TollbookError } from '../domain/errors.ts';
import { type DigestSchedule, parseEvents, parseWebhookType } from '../domain/alerts/webhook.ts';
import { WEBHOOK_KINDS, type WebhookType } from '../domain/alerts/webhook-kinds.ts';
import { findDestination } from '../notifications/destinations/destinations.ts';
import type { WebhookTarget, WebhookNotice } from '../notifications/destinations/destination.ts';
import { computeEtag } from './http/if-match.ts';
import { newSigningSecret } from '../lib/crypto/cipher.ts';
import type { Webhook } from '../storage/records/webhooks.ts';
import type { Clock } from '../lib/clock.ts';
import type { Records } from '../storage/records/records.ts';
import { DAY_MS } from '../domain/time/units.ts';

/** Sends to webhooks; provided by the ledger thread. */
export interface DeliverySender {
  /** Starts sending due deliveries. */
  start(): void;
  /** Sends one test message immediately and returns the result. */
  test(
    workspaceId: string,
    webhookId: string,
  ): Promise<{ readonly delivery: Delivery; readonly attempt: DeliveryAttempt }>;
  /** Throws `invalid` if sending to an address is not allowed. Accepts addresses that can't be looked up now. */
  checkAddress(url: string): Promise<void>;
}

/** Weekly digests; provided by the ledger thread. */
export interface DigestService {
  /** Returns the digest of the last complete week. */
  preview(workspaceId: string): Promise<WebhookNotice>;
}

export interface WebhookServices {
  readonly clock: Clock;
  readonly records: Records;
  readonly deliveries: DeliverySender;
  readonly digests: DigestService;
}

/**
 * Describes a webhook as the specification does, without its secret. Addresses of chat rooms are secrets themselves.
 */
function webhookView(webhook: Webhook, caller: Caller): WebhookShape {
  return {
    id: webhook.id,
    name: webhook.name,
    url: managesAll(caller) ? webhook.url : withoutPath(webhook.url),
    type: webhook.type,
    events: [...webhook.events],
    enabled: webhook.enabled,
    createdAt: toIso(webhook.createdAt),
  };
}

/** Returns only scheme and host, so that readers see the target but can't send to it. */
function withoutPath(url: string): string {
  if (!URL.canParse(url)) return '…';
  const { protocol, host } = new URL(url);
  return host === '' ? `${protocol}…` : `${protocol}//${host}/…`;
}

function listedWebhookView(webhook: Webhook, caller: Caller): ListedWebhook {
  const view = webhookView(webhook, caller);
  const { digest, secretVersion, oldSecretUntil, disabledReason } = webhook;
  return { ...view, etag: computeEtag({ ...view, digest, secretVersion, oldSecretUntil, disabledReason }) };
}

function webhookDetailsView(webhook: Webhook, caller: Caller): WebhookDetailsShape {
  return {
    ...listedWebhookView(webhook, caller),
    digest: webhook.digest,
    signed: webhook.hasSecret,
    oldSecretUntil: isoOrNull(webhook.oldSecretUntil),
    disabledReason: webhook.disabledReason,
    failingSince: isoOrNull(webhook.failingSince),
  };
}

export function deliveryView(delivery: Delivery, attempts: readonly DeliveryAttempt[]): DeliveryShape {
  const { id, webhookId, messageId, alertId, kind, state, createdAt, nextAt, endedAt } = delivery;
  return {
    id,
    webhookId,
    messageId,
    alertId,
    kind,
    state,
    createdAt: toIso(createdAt),
    nextAttemptAt: state === 'waiting' ? toIso(Math.max(nextAt, createdAt)) : null,
    endedAt: isoOrNull(endedAt),
    attempts: attempts.map(({ at, request, ...attempt }) => ({ at: toIso(at), request: { ...request }, ...attempt })),
  };
}

export const listWebhooks = endpoint('GET /api/mcp/webhooks', async ({ caller }, { records }: WebhookServices) => {
  const webhooks = await records.webhooks.list(caller.workspaceId);
  return webhooks.map((one) => listedWebhookView(one, caller));
});

export const getWebhook = endpoint(
  'GET /api/mcp/webhooks/{id}',
  async ({ caller, path }, { records }: WebhookServices) =>
    webhookDetailsView(await records.webhooks.get(caller.workspaceId, path.id), caller),
);

/** Longest secret or key; real ones are far shorter. */
const SECRET_CHARS_MAX = 1_000;

/** Throws `invalid` if a webhook of this type can't work with the address and secret. */
export async function checkTarget(
  { deliveries }: Pick<WebhookServices, 'deliveries'>,
  type: WebhookType,
  target: WebhookTarget,
): Promise<void> {
  checkWritten(type, target);
  await deliveries.checkAddress(target.url);
}

/** Checks a target without network access. */
export function checkWritten(type: WebhookType, target: WebhookTarget): void {
  if (target.secrets.some((secret) => secret.length > SECRET_CHARS_MAX))
    throw new TollbookError(
      'invalid',
      `The secret is longer than ${SECRET_CHARS_MAX} characters. Give a shorter one.`,
      'secret',
    );
  findDestination(type).check(target);
}

/** Throws `unprocessable` if a key for one host would be sent to another host. */
export function checkMove({ type, url, hasSecret }: Webhook, to: string): void {
  if (hasSecret && WEBHOOK_KINDS[type].key && URL.parse(to)?.origin !== URL.parse(url)?.origin)
    throw new TollbookError(
      'unprocessable',
      "The key of this webhook can't be sent to another host. Create a new webhook and delete this one.",
      'url',
    );
}

/** Throws `invalid` for a digest to a type where each message opens an incident. */
export function checkDigest(type: WebhookType, digest: DigestSchedule): void {
  if (digest !== 'off' && !WEBHOOK_KINDS[type].takesDigest)
    throw new TollbookError(
      'invalid',
      `A digest to ${type} would open an incident. Send it to a chat or by email.`,
      'digest',
    );
}

export const createWebhook = endpoint('POST /api/mcp/webhooks', async ({ caller, body }, services: WebhookServices) => {
  const { workspaceId, actor } = caller;
  const { name, url, secret = null, digest } = body;
  const type = parseWebhookType(body.type);
  const events = parseEvents(body.events);
  checkDigest(type, digest);
  await checkTarget(services, type, { url, secrets: secret === null ? [] : [secret] });
  const input = { workspaceId, name, url, type, events, secret, digest };
  return webhookView(await services.records.webhooks.create(input, actor), caller);
});

export const updateWebhook = endpoint(
  'PATCH /api/mcp/webhooks/{id}',
  async ({ caller, path, body, requireMatch }, services: WebhookServices) => {
    const { workspaceId, actor } = caller;
    const { webhooks } = services.records;
    const before = await webhooks.get(workspaceId, path.id);
    const { type } = before;
    const { name, url, events, enabled, digest } = body;
    if (digest !== undefined) checkDigest(type, digest);
    if (url !== undefined && url !== before.url) {
      const { secrets } = await webhooks.target(workspaceId, path.id);
      await checkTarget(services, type, { url, secrets });
      checkMove(before, url);
    }
    const change = {
      ...(name !== undefined && { name }),
      ...(url !== undefined && { url }),
      ...(events !== undefined && { events: parseEvents(events) }),
      ...(enabled !== undefined && { enabled }),
      ...(digest !== undefined && { digest }),
    };
    const updated = await webhooks.update(workspaceId, path.id, change, actor, (now) =>
      requireMatch(listedWebhookView(now, caller)),
    );
    services.deliveries.start();
    return webhookDetailsView(updated, caller);
  },
);

export const removeWebhook = endpoint(
  'DELETE /api/mcp/webhooks/{id}',
  async ({ caller, path, requireMatch }, { records }: WebhookServices) => {
    await records.webhooks.remove(caller.workspaceId, path.id, caller.actor, (now) =>
      requireMatch(listedWebhookView(now, caller)),
    );
    return { removed: path.id };
  },
);

const OLD_VALID_MS = DAY_MS;

export const renewSecret = endpoint(
  'POST /api/mcp/webhooks/{id}/secret',
  async ({ caller, path, body, requireMatch }, services: WebhookServices) => {
    const { workspaceId, actor } = caller;
    const { webhooks } = services.records;
    const { type, url, hasSecret } = await webhooks.get(workspaceId, path.id);
    if (body.secret === undefined && !WEBHOOK_KINDS[type].signs)
      throw new TollbookError(
        'invalid',
        WEBHOOK_KINDS[type].key
          ? `No secret given. For a webhook of type ${type}, send the key that its receiver shows.`
          : `Webhooks of type ${type} are not signed and have no secret. Remove the secret.`,
        'secret',
      );
    const secret = body.secret ?? newSigningSecret();
    await checkTarget(services, type, { url, secrets: [secret] });
    const oldUntil = body.dropOld || !hasSecret ? null : services.clock() + OLD_VALID_MS;
    const { oldSecretUntil } = await webhooks.setSecret(
      workspaceId,
      path.id,
      { text: secret, oldUntil },
      actor,
      (now) => requireMatch(listedWebhookView(now, caller)),
    );
    return { secret, oldSecretUntil: isoOrNull(oldSecretUntil) };
  },
);

export const previewDigest = endpoint('GET /api/mcp/digest', async ({ caller }, { digests }: WebhookServices) => {
  const { id, title, message, facts, data } = await digests.preview(caller.workspaceId);
  return { id, title, message, facts: [...facts], data: { ...data } };
});
