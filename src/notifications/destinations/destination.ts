import type { AlertType, AlertSeverity } from '../../domain/alerts/alert.ts';
import type { WebhookType } from '../../domain/alerts/webhook-kinds.ts';

/** Content of a delivery, ready to be shown: times in the workspace's time zone, keys by name, amounts with units. */
export interface WebhookNotice {
  /** The same for every attempt and webhook, for example an alert's id. Receivers recognize a repeated delivery by it. */
  readonly id: string;
  readonly kind: NoticeKind;
  readonly type: AlertType | 'TEST' | 'WEEKLY_DIGEST';
  readonly severity: AlertSeverity;
  readonly title: string;
  readonly message: string;
  /** Time of the event, epoch ms. */
  readonly at: number;
  /** The same for the start and the end of one episode. */
  readonly episode: string;
  readonly workspace: string;
  /** Facts shown below the message, in order. */
  readonly facts: readonly NoticeFact[];
  /** Page with the details. */
  readonly link: string;
  /** For programs: the alert as the API returns it, or the figures of a digest. */
  readonly data: Readonly<Record<string, unknown>>;
}

export const NOTICE_KINDS = ['alert', 'resolved', 'test', 'digest'] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];

export interface NoticeFact {
  readonly name: string;
  readonly value: string;
}

/** URL and secrets of a webhook. */
export interface WebhookTarget {
  readonly url: string;
  /** The newest first; two while the old one is still valid. */
  readonly secrets: readonly string[];
}

export interface HttpMessage {
  readonly via: 'http';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface MailMessage {
  readonly via: 'mail';
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export type WebhookMessage = HttpMessage | MailMessage;

/** Response of a receiver; `body` is shortened. */
export interface ReceiverReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

export type DeliveryVerdict =
  | { readonly outcome: 'delivered' }
  /** Not now: retried later, at the earliest after `afterMs` if the receiver says so. */
  | { readonly outcome: 'later'; readonly afterMs: number | null }
  /** The receiver refuses this message; it may accept others. */
  | { readonly outcome: 'refused' }
  /** The URL no longer exists. */
  | { readonly outcome: 'gone' };

/** A kind of receiver: a pure mapping from a notice to the message it gets. `CONTRIBUTING.md` shows how to add one. */
export interface WebhookDestination {
  readonly type: WebhookType;
  /** Throws a `TollbookError` (`invalid`, with `url` or `secret`) that says what this kind of receiver needs. */
  check(target: WebhookTarget): void;
  /** Builds the message. `at`: time of this attempt, epoch ms. */
  message(notice: WebhookNotice, target: WebhookTarget, at: number): WebhookMessage;
  judge(reply: ReceiverReply): DeliveryVerdict;
}
