import type { Alert } from '../../domain/alerts/alert.ts';
import { audit } from './audit.ts';
import type { RecordContext } from './context.ts';
import { raiseAlert, resolveAlert } from './raise-alert.ts';
import type { RecordTables, RecordTransaction } from './tables.ts';

type DisabledWebhookRow = RecordTables['webhooks'];

/** The service sends it nothing more, and tells the others. */
export async function disableWebhook(
  tx: RecordTransaction,
  context: RecordContext,
  webhook: DisabledWebhookRow,
  why: string,
  at: number,
): Promise<void> {
  const { id, name, workspace_id: workspaceId } = webhook;
  await tx.updateTable('webhooks').set({ enabled: 0, disabled_because: why }).where('id', '=', id).execute();
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
    message: `${why} Mend the receiver, then enable the webhook on its page in the dashboard, or with: tollbook webhooks update ${id} --enable. What waits for it is sent then; what is older than three days is sent by a replay from ${from} on, there or with: tollbook webhooks replay ${id} --from ${from}.`,
    episode: `webhook:${id}:${at}`,
    createdAt: at,
    period: null,
    scope: { webhook: id },
    value: webhook.failures + 1,
    threshold: null,
    evidence: { failingSince },
  });
}

/** Somebody has enabled it again, or removed it: the alerts that it is disabled are over. */
export async function resolveDisabledAlerts(
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
