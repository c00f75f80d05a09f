import type { Actor } from './audit.ts';
import { storedWord } from './stored-word.ts';
import type { RecordTables } from './tables.ts';

/**
 * One message on its way to one webhook. `waiting` ends in `delivered` or `failed`. A webhook's deliveries are a line:
 * one runner at a time sends them, the oldest first; those that the receiver refuses for what they hold step aside.
 */
export interface Delivery {
  readonly id: string;
  readonly workspaceId: string;
  readonly webhookId: string;
  /** What the receiver knows a repetition by: equal for all deliveries of one message. */
  readonly messageId: string;
  readonly kind: DeliveryKind;
  /** null = it is not of an alert, or the alert is gone. */
  readonly alertId: string | null;
  /** Of one that is not of an alert. */
  readonly content: Readonly<Record<string, unknown>> | null;
  readonly state: DeliveryState;
  /** How often it was tried. */
  readonly attempts: number;
  readonly nextAt: number;
  readonly createdAt: number;
  readonly endedAt: number | null;
}

export const DELIVERY_KINDS = ['alert', 'resolved', 'test', 'digest'] as const;
export type DeliveryKind = (typeof DELIVERY_KINDS)[number];
export const DELIVERY_STATES = ['waiting', 'delivered', 'failed'] as const;
type DeliveryState = (typeof DELIVERY_STATES)[number];

/** One try. What was sent and what came back are cut, without secrets. */
export interface DeliveryAttempt {
  readonly at: number;
  readonly ms: number;
  /** null = nothing came back. */
  readonly status: number | null;
  /** A sentence; null = it went well. */
  readonly error: string | null;
  readonly request: Readonly<Record<string, unknown>>;
  readonly response: string | null;
}

/** What became of a try, for the delivery and for its webhook's line. */
export interface DeliveryOutcome {
  readonly state: DeliveryState;
  /** When the delivery may be tried again. */
  readonly nextAt: number;
  /** What the webhook's whole line waits for, when a receiver is in trouble; null = it is well. */
  readonly line: { readonly nextAt: number } | null;
  /** A sentence that says why the webhook is disabled from now on. */
  readonly disable: string | null;
}

export interface WebhookClaim {
  readonly webhookId: string;
  /** Attempts that failed since the last that did not, and since when. */
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

/** A page, newest first; `before` = the id of the last of the page before, which must still be there. */
export interface DeliveryQuery {
  readonly limit: number;
  readonly before: string | null;
}

export interface DeliveryRecords {
  /** Claims up to `limit` webhooks that have something to send now, until a time at which others may have them. */
  claim(runner: string, now: number, until: number, limit: number): Promise<WebhookClaim[]>;
  /** The delivery of a claimed webhook whose turn it is; null = none now. */
  next(webhookId: string, now: number): Promise<Delivery | null>;
  /** Keeps an attempt and what became of it, and the claim until `until`; false = the claim is another runner's now. */
  record(
    runner: string,
    delivery: Delivery,
    attempt: DeliveryAttempt,
    outcome: DeliveryOutcome,
    until: number,
  ): Promise<boolean>;
  /** Keeps all that a runner has claimed, until a time. */
  renew(runner: string, until: number): Promise<void>;
  /** Lets anybody have what others have claimed: whoever they were, they are no more. */
  freeAll(): Promise<void>;
  /** Lets others have the webhook. */
  release(runner: string, webhookId: string): Promise<void>;
  /** Queues a message once per webhook and message id; null = it was queued before. */
  queue(message: NewMessage): Promise<Delivery | null>;
  /** Keeps a message that was sent once, at once, beside the line. */
  keep(message: NewMessage, attempt: DeliveryAttempt): Promise<Delivery>;
  list(workspaceId: string, webhookId: string, query: DeliveryQuery): Promise<Delivery[]>;
  get(workspaceId: string, webhookId: string, id: string): Promise<Delivery>;
  /** Of these deliveries, each with its own in order. */
  attempts(deliveryIds: readonly string[]): Promise<ReadonlyMap<string, readonly DeliveryAttempt[]>>;
  /** Queues a delivery's message once more, under the same message id. */
  replay(workspaceId: string, webhookId: string, id: string, actor: Actor): Promise<Delivery>;
  /** Queues again what was not delivered of a half-open period, or all of it; returns how many. */
  replayPeriod(
    workspaceId: string,
    webhookId: string,
    period: { readonly start: number; readonly end: number },
    all: boolean,
    actor: Actor,
  ): Promise<number>;
  /** Gives up what has waited since before a time for webhooks that are disabled; returns how many. */
  expire(before: number): Promise<number>;
  /** How many wait, over all webhooks of all workspaces. */
  waiting(): Promise<number>;
  /**
   * Deletes ended deliveries, with their attempts, that ended before a time or are the oldest of too many; at most
   * `limit` at once. Returns how many.
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
