import { hash } from 'node:crypto';
import { parseName } from '../../domain/identity/name.ts';
import { unlessUnchanged } from '../../domain/identity/stored-value.ts';
import { DIGESTS, type DigestSchedule, parseWebhookType } from '../../domain/alerts/webhook.ts';
import { newId } from '../../lib/crypto/id.ts';
import { type Actor, audit, audited } from './audit.ts';
import { type ChangeCheck, notFound, type RecordContext, requireRoom, requireWorkspace } from './context.ts';
import { storedWord } from './stored-word.ts';
import type { RecordDb, RecordTables, RecordTransaction } from './tables.ts';
import type { SecretVault } from './vault.ts';
import type { Alert, AlertType } from '../../domain/alerts/alert.ts';
import { raiseAlert, resolveAlert } from './alerts.ts';
import type { WebhookType } from '../../domain/alerts/webhook-kinds.ts';

export interface Webhook {
  readonly id: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly url: string;
  readonly type: WebhookType;
  readonly events: readonly AlertType[];
  readonly enabled: boolean;
  readonly createdAt: number;
  /** Schedule of summaries. */
  readonly digest: DigestSchedule;
  /** Time until which messages are also signed with the previous secret; null = no previous secret. */
  readonly oldSecretUntil: number | null;
  readonly hasSecret: boolean;
  /** Changes with the secret; null = no secret. */
  readonly secretVersion: string | null;
  /** Reason, if the service disabled it; null = it did not. */
  readonly disabledReason: string | null;
  /** Time since which every attempt has failed; null = the last attempt succeeded, or none was made. */
  readonly failingSince: number | null;
}

export interface NewWebhook {
  readonly workspaceId: string;
  readonly name: string;
  readonly url: string;
  readonly type: WebhookType;
  readonly events: readonly AlertType[];
  readonly secret: string | null;
  readonly digest: DigestSchedule;
}

type WebhookChange = Partial<Pick<Webhook, 'name' | 'url' | 'events' | 'enabled' | 'digest'>>;

/** Address and secrets of a webhook in plain text. */
interface WebhookTarget {
  readonly url: string;
  /** The newest first. */
  readonly secrets: readonly string[];
}

export interface WebhookRecords {
  create(input: NewWebhook, actor: Actor): Promise<Webhook>;
  /** Oldest first. */
  list(workspaceId: string): Promise<Webhook[]>;
  get(workspaceId: string, id: string): Promise<Webhook>;
  /** Changes a webhook. Enabling it sends waiting deliveries immediately. */
  update(
    workspaceId: string,
    id: string,
    change: WebhookChange,
    actor: Actor,
    check?: ChangeCheck<Webhook>,
  ): Promise<Webhook>;
  /** Removes a webhook with its deliveries. */
  remove(workspaceId: string, id: string, actor: Actor, check?: ChangeCheck<Webhook>): Promise<void>;
  /** Replaces the secret. The previous one also signs until `oldUntil`; null = it stops immediately. */
  setSecret(
    workspaceId: string,
    id: string,
    secret: { readonly text: string; readonly oldUntil: number | null },
    actor: Actor,
    check?: ChangeCheck<Webhook>,
  ): Promise<Webhook>;
  target(workspaceId: string, id: string): Promise<WebhookTarget>;
}

type DisabledWebhookRow = RecordTables['webhooks'];

/** Disables a failing webhook and notifies the other webhooks. */
export async function disableWebhook(
  tx: RecordTransaction,
  context: RecordContext,
  webhook: DisabledWebhookRow,
  why: string,
  at: number,
): Promise<void> {
  const { id, name, workspace_id: workspaceId } = webhook;
  await tx.updateTable('webhooks').set({ enabled: 0, disable_reason: why }).where('id', '=', id).execute();
  await audit(tx, at, 'system', {
    workspaceId,
    action: 'webhook.disable',
    subject: id,
    before: { enabled: true },
    after: { enabled: false, why },
  });
  const failingSince = webhook.failing_since ?? at;
  const from = new Date(failingSince).toISOString().slice(0, 10);
  await raiseAlert(tx, context, {
    type: 'WEBHOOK_DISABLED',
    severity: 'critical',
    workspaceId,
    title: `The webhook "${name}" is disabled`,
    message: `${why} Fix the receiver, then enable the webhook on its page in the dashboard, or with: tollbook webhooks update ${id} --enable. What waits for it is sent then; what is older than three days is sent by a replay from ${from} on, there or with: tollbook webhooks replay ${id} --from ${from}.`,
    episode: `webhook:${id}:${at}`,
    createdAt: at,
    period: null,
    scope: { webhook: id },
    value: webhook.failures + 1,
    threshold: null,
    evidence: { failingSince },
  });
}

/** Resolves the alerts that a webhook is disabled, after it was enabled or removed. */
async function resolveDisabledAlerts(
  tx: RecordTransaction,
  context: RecordContext,
  { id, workspace_id }: DisabledWebhookRow,
): Promise<void> {
  const alerts = tx.selectFrom('alerts').select(['episode', 'scope']).where('workspace_id', '=', workspace_id);
  const open = alerts.where('type', '=', 'WEBHOOK_DISABLED').where('resolved_at', 'is', null);
  for (const { episode, scope } of await open.execute())
    if ((JSON.parse(scope) as Alert['scope'])['webhook'] === id)
      await resolveAlert(tx, context, workspace_id, episode, context.clock());
}

const WEBHOOKS_PER_WORKSPACE_MAX = 100;

/** Names under which a webhook's two secrets are encrypted, so that neither can replace the other. */
export function urlPlace(id: string): string {
  return `${id}.url`;
}
export function secretPlace(id: string): string {
  return `${id}.secret`;
}

export function webhookRecords(context: RecordContext): WebhookRecords {
  const { db, vault, clock } = context;
  return {
    create: (input, actor) =>
      audited(context, actor, async (tx, note) => {
        const { workspaceId } = input;
        await requireWorkspace(tx, workspaceId);
        requireRoom((await listWebhookRows(tx, workspaceId)).length, WEBHOOKS_PER_WORKSPACE_MAX, 'webhooks');
        const id = newId('wh', clock);
        const row: WebhookRow = {
          id,
          workspace_id: workspaceId,
          name: parseName(input.name),
          sealed_url: vault.seal(input.url, urlPlace(id)),
          sealed_secret: input.secret === null ? null : vault.seal(input.secret, secretPlace(id)),
          type: input.type,
          events: JSON.stringify(input.events),
          created_at: clock(),
          sealed_old_secret: null,
          old_secret_until: null,
          digest: input.digest,
          ...ENABLED,
          claimed_by: null,
          claimed_until: 0,
        };
        await tx.insertInto('webhooks').values(row).execute();
        const webhook = toWebhook(row, vault);
        await note({ workspaceId, action: 'webhook.create', subject: id, before: null, after: webhookFacts(webhook) });
        return webhook;
      }),
    list: async (workspaceId) => (await listWebhookRows(db, workspaceId)).map((row) => toWebhook(row, vault)),
    get: async (workspaceId, id) => toWebhook(await loadWebhookRow(db, workspaceId, id), vault),
    update: (workspaceId, id, change, actor, check) =>
      changeWebhook(context, workspaceId, id, actor, 'webhook.update', (row) => {
        check?.(toWebhook(row, vault));
        return webhookColumns(row, change, vault);
      }),
    remove: (workspaceId, id, actor, check) =>
      audited(context, actor, async (tx, note) => {
        const row = await loadWebhookRow(tx, workspaceId, id);
        const webhook = toWebhook(row, vault);
        check?.(webhook);
        await resolveDisabledAlerts(tx, context, row);
        const deliveries = tx.selectFrom('deliveries').select('id').where('webhook_id', '=', id);
        await tx.deleteFrom('delivery_attempts').where('delivery_id', 'in', deliveries).execute();
        await tx.deleteFrom('deliveries').where('webhook_id', '=', id).execute();
        await tx.deleteFrom('webhooks').where('id', '=', id).execute();
        await note({ workspaceId, action: 'webhook.remove', subject: id, before: webhookFacts(webhook), after: null });
      }),
    setSecret: (workspaceId, id, { text, oldUntil }, actor, check) =>
      changeWebhook(context, workspaceId, id, actor, 'webhook.secret', (row) => {
        check?.(toWebhook(row, vault));
        return {
          sealed_secret: vault.seal(text, secretPlace(id)),
          sealed_old_secret: oldUntil === null ? null : row.sealed_secret,
          old_secret_until: row.sealed_secret === null ? null : oldUntil,
        };
      }),
    async target(workspaceId, id) {
      const row = await loadWebhookRow(db, workspaceId, id);
      const isOldValid = row.old_secret_until !== null && row.old_secret_until > clock();
      const sealed = [row.sealed_secret, isOldValid ? row.sealed_old_secret : null];
      return {
        url: vault.open(row.sealed_url, urlPlace(id)),
        secrets: sealed.flatMap((secret) => (secret === null ? [] : [vault.open(secret, secretPlace(id))])),
      };
    },
  };
}

type WebhookRow = RecordTables['webhooks'];

/** Columns of a receiver or key without failures. */
const NO_DELIVERY_FAILURES = { failing_since: null, failures: 0, next_at: 0 } as const;
const ENABLED = { ...NO_DELIVERY_FAILURES, enabled: 1, disable_reason: null } as const;

async function changeWebhook(
  context: RecordContext,
  workspaceId: string,
  id: string,
  actor: string,
  action: string,
  change: (row: WebhookRow) => Partial<WebhookRow>,
): Promise<Webhook> {
  return await audited(context, actor, async (tx, note) => {
    const row = await loadWebhookRow(tx, workspaceId, id);
    const columns = change(row);
    if (Object.keys(columns).length > 0) await tx.updateTable('webhooks').set(columns).where('id', '=', id).execute();
    if (columns.enabled === 1) await resolveDisabledAlerts(tx, context, row);
    const [before, after] = [row, { ...row, ...columns }].map((each) => toWebhook(each, context.vault));
    if (!before || !after) throw new Error('unreachable');
    await note({ workspaceId, action, subject: id, before: webhookFacts(before), after: webhookFacts(after) });
    return after;
  });
}

function webhookColumns(
  { id, name: nameBefore }: WebhookRow,
  change: WebhookChange,
  vault: SecretVault,
): Partial<WebhookRow> {
  const { name, url, events, enabled, digest } = change;
  return {
    ...(name !== undefined && { name: unlessUnchanged(nameBefore, name.trim(), () => parseName(name)) }),
    ...(url !== undefined && { sealed_url: vault.seal(url, urlPlace(id)), ...NO_DELIVERY_FAILURES }),
    ...(events !== undefined && { events: JSON.stringify(events) }),
    ...(digest !== undefined && { digest }),
    ...(enabled === true && ENABLED),
    ...(enabled === false && { enabled: 0, disable_reason: null }),
  };
}

async function loadWebhookRow(db: RecordDb, workspaceId: string, id: string): Promise<WebhookRow> {
  const query = db.selectFrom('webhooks').selectAll().where('workspace_id', '=', workspaceId).where('id', '=', id);
  const row = await query.executeTakeFirst();
  if (!row) throw notFound('webhook', id);
  return row;
}

function listWebhookRows(db: RecordDb | RecordTransaction, workspaceId: string): Promise<WebhookRow[]> {
  const query = db.selectFrom('webhooks').selectAll().where('workspace_id', '=', workspaceId);
  return query.orderBy('created_at').orderBy('id').execute();
}

/** Shows only the host of the address: the rest may be a secret. */
function webhookFacts({ name, url, type, events, enabled, digest, oldSecretUntil }: Webhook): Record<string, unknown> {
  return { name, host: URL.parse(url)?.host ?? null, type, events, enabled, digest, oldSecretUntil };
}

function toWebhook(row: WebhookRow, vault: SecretVault): Webhook {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    name: row.name,
    url: vault.open(row.sealed_url, urlPlace(row.id)),
    type: parseWebhookType(row.type),
    events: JSON.parse(row.events) as Webhook['events'],
    enabled: row.enabled === 1,
    createdAt: row.created_at,
    digest: storedWord(DIGESTS, row.digest),
    oldSecretUntil: row.old_secret_until,
    hasSecret: row.sealed_secret !== null,
    secretVersion: row.sealed_secret === null ? null : hash('sha256', row.sealed_secret, 'base64url'),
    disabledReason: row.disable_reason,
    failingSince: row.failing_since,
  };
}
