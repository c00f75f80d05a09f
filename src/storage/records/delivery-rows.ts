import {
  type DeliveryAttempt,
  type Delivery,
  DELIVERY_KINDS,
  DELIVERY_STATES,
  type DeliveryKind,
} from './delivery-records.ts';
import { storedWord } from './known-word.ts';
import type { RecordTables } from './tables.ts';

type DeliveryRow = RecordTables['deliveries'];

interface NewDelivery {
  readonly id: string;
  readonly workspaceId: string;
  readonly webhookId: string;
  readonly messageId: string;
  readonly kind: DeliveryKind;
  readonly alertId: string | null;
  readonly content: Readonly<Record<string, unknown>> | null;
  readonly at: number;
}

/** The first delivery of a message to a webhook, due at once, also where the clock steps back. */
export function newDelivery({
  id,
  workspaceId,
  webhookId,
  messageId,
  kind,
  alertId,
  content,
  at,
}: NewDelivery): DeliveryRow {
  return {
    id,
    workspace_id: workspaceId,
    webhook_id: webhookId,
    message_id: messageId,
    round: 1,
    kind,
    alert_id: alertId,
    content: content && JSON.stringify(content),
    state: 'waiting',
    attempts: 0,
    next_at: 0,
    created_at: at,
    ended_at: null,
  };
}

export function fromDeliveryRow(row: DeliveryRow): Delivery {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    webhookId: row.webhook_id,
    messageId: row.message_id,
    kind: storedWord(DELIVERY_KINDS, row.kind),
    alertId: row.alert_id,
    content: row.content === null ? null : (JSON.parse(row.content) as Delivery['content']),
    state: storedWord(DELIVERY_STATES, row.state),
    attempts: row.attempts,
    nextAt: row.next_at,
    createdAt: row.created_at,
    endedAt: row.ended_at,
  };
}

export function toAttemptRow(deliveryId: string, number: number, attempt: DeliveryAttempt): RecordTables['attempts'] {
  const { at, ms, status, error, request, response } = attempt;
  return { delivery_id: deliveryId, number, at, ms, status, error, request: JSON.stringify(request), response };
}

export function fromAttemptRow(row: RecordTables['attempts']): DeliveryAttempt {
  const { at, ms, status, error, response } = row;
  return { at, ms, status, error, response, request: JSON.parse(row.request) as DeliveryAttempt['request'] };
}
