import type { RecordContext } from './context.ts';
import type { DeliveryAttempt, Delivery, DeliveryOutcome } from './delivery-records.ts';
import { toAttemptRow } from './delivery-rows.ts';
import type { RecordTables, RecordTransaction } from './tables.ts';
import { disableWebhook } from './disable-webhook.ts';

interface AttemptRecord {
  readonly runner: string;
  readonly delivery: Delivery;
  readonly attempt: DeliveryAttempt;
  readonly outcome: DeliveryOutcome;
  /** How long the runner keeps the webhook. */
  readonly until: number;
}

/** An attempt, what became of its delivery, and how its webhook does, in one; false = the webhook is another's now. */
export async function recordAttempt(
  tx: RecordTransaction,
  context: RecordContext,
  recorded: AttemptRecord,
): Promise<boolean> {
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
  const line = webhookHealth(webhook, outcome, attempt.at);
  await tx
    .updateTable('webhooks')
    .set({ ...line, claimed_until: until })
    .where('id', '=', webhook.id)
    .execute();
  // Not what somebody has disabled meanwhile.
  if (outcome.disable !== null && webhook.enabled === 1)
    await disableWebhook(tx, context, webhook, outcome.disable, attempt.at);
  return true;
}

function webhookHealth(webhook: RecordTables['webhooks'], { line }: DeliveryOutcome, at: number) {
  if (line === null) return { failures: 0, failing_since: null, next_at: 0 };
  const { failures, failing_since } = webhook;
  return { failures: failures + 1, failing_since: failing_since ?? at, next_at: line.nextAt };
}
