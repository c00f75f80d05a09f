import { parseName } from '../../core/name.ts';
import { parseWebhookType } from '../../core/webhook.ts';
import { newId } from '../../lib/id.ts';
import { audited } from './audit.ts';
import { type Context, notFound, requireRoom, requireWorkspace } from './context.ts';
import type { Webhook, WebhookRecords } from './records.ts';
import type { Db, Tables } from './tables.ts';
import type { Vault } from './vault.ts';

const WEBHOOKS_PER_WORKSPACE_MAX = 100;

/** Under which names a webhook's two secrets are sealed, so that one can't stand in for the other. */
export function urlPlace(id: string): string {
  return `${id}.url`;
}
export function secretPlace(id: string): string {
  return `${id}.secret`;
}

export function webhookRecords(context: Context): WebhookRecords {
  const { db, vault, clock } = context;
  return {
    create: (input, actor) =>
      audited(context, actor, async (tx, note) => {
        const { workspaceId } = input;
        await requireWorkspace(tx, workspaceId);
        requireRoom((await rowsOf(tx, workspaceId)).length, WEBHOOKS_PER_WORKSPACE_MAX, 'webhooks');
        const id = newId('wh', clock);
        const row = {
          id,
          workspace_id: workspaceId,
          name: parseName(input.name),
          sealed_url: vault.seal(input.url, urlPlace(id)),
          sealed_secret: input.secret === null ? null : vault.seal(input.secret, secretPlace(id)),
          type: input.type,
          events: JSON.stringify(input.events),
          enabled: 1,
          created_at: clock(),
          sealed_old_secret: null,
          old_secret_until: null,
          digest: 'off',
          disabled_because: null,
          failing_since: null,
          failures: 0,
          next_at: 0,
          claimed_by: null,
          claimed_until: 0,
        };
        await tx.insertInto('webhooks').values(row).execute();
        const webhook = fromRow(row, vault);
        await note({ workspaceId, action: 'webhook.create', subject: id, before: null, after: facts(webhook) });
        return webhook;
      }),
    list: async (workspaceId) => (await rowsOf(db, workspaceId)).map((row) => fromRow(row, vault)),
    async get(workspaceId, id) {
      const query = db.selectFrom('webhooks').selectAll().where('workspace_id', '=', workspaceId).where('id', '=', id);
      const row = await query.executeTakeFirst();
      if (!row) throw notFound('webhook', id);
      return fromRow(row, vault);
    },
  };
}

type Row = Tables['webhooks'];

function rowsOf(db: Db, workspaceId: string): Promise<Row[]> {
  const query = db.selectFrom('webhooks').selectAll().where('workspace_id', '=', workspaceId);
  return query.orderBy('created_at').orderBy('id').execute();
}

/** The rest of the address may be a secret. */
function facts({ name, url, type, events, enabled }: Webhook): Record<string, unknown> {
  return { name, host: URL.parse(url)?.host ?? null, type, events, enabled };
}

function fromRow(row: Row, vault: Vault): Webhook {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    name: row.name,
    url: vault.open(row.sealed_url, urlPlace(row.id)),
    type: parseWebhookType(row.type),
    events: JSON.parse(row.events) as Webhook['events'],
    enabled: row.enabled === 1,
    createdAt: row.created_at,
  };
}
