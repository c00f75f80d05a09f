import type { Context } from './context.ts';
import type { Attempt, Delivery, Outcome } from './delivery-records.ts';
import { toAttemptRow } from './delivery-rows.ts';
import { raiseAlert } from './raise-alert.ts';
import type { Tables, Tx } from './tables.ts';
import { audit } from './audit.ts';

interface Recorded {
  readonly runner: string;
  readonly delivery: Delivery;
  readonly attempt: Attempt;
  readonly outcome: Outcome;
  /** How long the runner keeps the webhook. */
  readonly until: number;
}

/** An attempt, what became of its delivery, and how its webhook does, in one; false = the webhook is another's now. */
export async function recordAttempt(tx: Tx, context: Context, recorded: Recorded): Promise<boolean> {
  const { runner, delivery, attempt, outcome, until } = recorded;
  const found = tx.selectFrom('webhooks').selectAll().where('id', '=', delivery.webhookId);
  const webhook = await found.where('claimed_by', '=', runner).executeTakeFirst();
  if (!webhook) return false;
  const number = delivery.attempts + 1;
  await tx
    .updateTable('deliveries')
    .set({
      state: outcome.state,
      attempts: number,
      next_at: outcome.nextAt,
      ended_at: outcome.state === 'waiting' ? null : attempt.at,
    })
    .where('id', '=', delivery.id)
    .execute();
  await tx
    .insertInto('attempts')
    .values(toAttemptRow(delivery.id, number, attempt))
    .execute();
  const line = lineOf(webhook, outcome, attempt.at);
  await tx
    .updateTable('webhooks')
    .set({ ...line, claimed_until: until })
    .where('id', '=', webhook.id)
    .execute();
  if (outcome.disable !== null) await disable(tx, context, webhook, outcome.disable, attempt.at);
  return true;
}

function lineOf(webhook: Tables['webhooks'], { line }: Outcome, at: number) {
  if (line === null) return { failures: 0, failing_since: null, next_at: 0 };
  const { failures, failing_since } = webhook;
  return { failures: failures + 1, failing_since: failing_since ?? at, next_at: line.nextAt };
}

/** The others are told. */
async function disable(tx: Tx, context: Context, webhook: Tables['webhooks'], why: string, at: number): Promise<void> {
  const { id, name, workspace_id: workspaceId } = webhook;
  await tx.updateTable('webhooks').set({ enabled: 0, disabled_because: why }).where('id', '=', id).execute();
  await audit(tx, at, 'system', {
    workspaceId,
    action: 'webhook.disable',
    subject: id,
    before: { enabled: true },
    after: { enabled: false, why },
  });
  await raiseAlert(tx, context, {
    type: 'WEBHOOK_DISABLED',
    severity: 'critical',
    workspaceId,
    title: `The webhook "${name}" is disabled`,
    message: `${why} What it has not sent waits for three days; mend the receiver, then: tollbook webhooks update ${id} --enable.`,
    episode: `webhook:${id}:${at}`,
    createdAt: at,
    period: null,
    scope: { webhook: id },
    value: webhook.failures + 1,
    threshold: null,
    evidence: { failingSince: webhook.failing_since ?? at },
  });
}
