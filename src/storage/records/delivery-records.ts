import type { Actor } from './audit.ts';
import { storedWord } from './stored-word.ts';
import type { RecordTables } from './tables.ts';

/**
 * One message on its way to one webhook. `waiting` ends in `delivered` or `failed`. One runner at a time sends a
 * webhook's deliveries, oldest first; a delivery that the receiver refuses for its content does not block the others.
 */
export interface Delivery {
  readonly id: string;
  readonly workspaceId: string;
  readonly webhookId: string;
  /** Lets the receiver recognize a repeated message: equal for all deliveries of one message. */
  readonly messageId: string;
  readonly kind: DeliveryKind;
  /** null = not about an alert, or the alert was deleted. */
  readonly alertId: string | null;
  /** Content of a message that is not about an alert. */
  readonly content: Readonly<Record<string, unknown>> | null;
  readonly state: DeliveryState;
  /** Number of attempts. */
  readonly attempts: number;
  readonly nextAt: number;
  readonly createdAt: number;
  readonly endedAt: number | null;
}

const DELIVERY_KINDS = ['alert', 'resolved', 'test', 'digest'] as const;
export type DeliveryKind = (typeof DELIVERY_KINDS)[number];
const DELIVERY_STATES = ['waiting', 'delivered', 'failed'] as const;
type DeliveryState = (typeof DELIVERY_STATES)[number];

/** One attempt. Request and response are shortened and hold no secrets. */
export interface DeliveryAttempt {
  readonly at: number;
  readonly ms: number;
  /** null = no response. */
  readonly status: number | null;
  /** Readable error; null = delivered. */
  readonly error: string | null;
  readonly request: Readonly<Record<string, unknown>>;
  readonly response: string | null;
}

/** Result of an attempt, for the delivery and for its webhook. */
export interface DeliveryOutcome {
  readonly state: DeliveryState;
  /** Time of the next attempt. */
  readonly nextAt: number;
  /** The receiver fails, and all deliveries of its webhook wait until `nextAt`; null = the receiver works. */
  readonly queue: { readonly nextAt: number } | null;
  /** Reason for which the webhook is disabled from now on. */
  readonly disable: string | null;
}

export interface WebhookClaim {
  readonly webhookId: string;
  /** Number of failed attempts since the last success, and their first time. */
  readonly failures: number;
  readonly failingSince: number | null;
}

export interface NewMessage {
  readonly workspaceId: string;
  readonly webhookId: string;
  readonly messageId: string;
  readonly kind: DeliveryKind;
  readonly content: Readonly<Record<string, unknown>>;
}

/** A page, newest first. `before` is the id of the last delivery on the previous page, which must still exist. */
export interface DeliveryQuery {
  readonly limit: number;
  readonly before: string | null;
}

export interface DeliveryRecords {
  /** Claims up to `limit` webhooks with due deliveries until a time at which other runners may claim them. */
  claim(runner: string, now: number, until: number, limit: number): Promise<WebhookClaim[]>;
  /** Returns the next due delivery of a claimed webhook; null = none. */
  next(webhookId: string, now: number): Promise<Delivery | null>;
  /** Saves an attempt and its outcome and extends the claim to `until`; false = another runner holds the claim. */
  record(
    runner: string,
    delivery: Delivery,
    attempt: DeliveryAttempt,
    outcome: DeliveryOutcome,
    until: number,
  ): Promise<boolean>;
  /** Extends all claims of a runner. */
  renew(runner: string, until: number): Promise<void>;
  /** Releases the claims of earlier runs of a node; null = of all, for a process that is alone on its database. */
  free(nodeId: string | null): Promise<void>;
  /** Releases the claim on a webhook. */
  release(runner: string, webhookId: string): Promise<void>;
  /** Queues a message once per webhook and message id; null = it was queued before. */
  queue(message: NewMessage): Promise<Delivery | null>;
  /** Saves a message that was sent immediately, outside the queue. */
  keep(message: NewMessage, attempt: DeliveryAttempt): Promise<Delivery>;
  list(workspaceId: string, webhookId: string, query: DeliveryQuery): Promise<Delivery[]>;
  get(workspaceId: string, webhookId: string, id: string): Promise<Delivery>;
  /** Returns the attempts of these deliveries, in order. */
  attempts(deliveryIds: readonly string[]): Promise<ReadonlyMap<string, readonly DeliveryAttempt[]>>;
  /** Queues a delivery's message again, under the same message id. */
  replay(workspaceId: string, webhookId: string, id: string, actor: Actor): Promise<Delivery>;
  /** Queues undelivered messages of a half-open period again, or all of them. Returns how many. */
  replayPeriod(
    workspaceId: string,
    webhookId: string,
    period: { readonly start: number; readonly end: number },
    all: boolean,
    actor: Actor,
  ): Promise<number>;
  /** Gives up deliveries to disabled webhooks that have waited since before a time. Returns how many. */
  expire(before: number): Promise<number>;
  /** Counts waiting deliveries of all workspaces. */
  waiting(): Promise<number>;
  /**
   * Deletes deliveries, with their attempts, that ended before a time or exceed the number to keep; at most `limit`
   * per call. Returns how many.
   */
  prune(before: number, limit: number): Promise<number>;
}

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

/** Builds the first delivery of a message to a webhook. It is due immediately, even if the clock steps back. */
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

export function toAttemptRow(
  deliveryId: string,
  number: number,
  attempt: DeliveryAttempt,
): RecordTables['delivery_attempts'] {
  const { at, ms, status, error, request, response } = attempt;
  return { delivery_id: deliveryId, number, at, ms, status, error, request: JSON.stringify(request), response };
}

export function fromAttemptRow(row: RecordTables['delivery_attempts']): DeliveryAttempt {
  const { at, ms, status, error, response } = row;
  return { at, ms, status, error, response, request: JSON.parse(row.request) as DeliveryAttempt['request'] };
}
