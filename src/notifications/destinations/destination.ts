import type { AlertType, AlertSeverity } from '../../domain/alerts/alert.ts';
import type { WebhookType } from '../../domain/alerts/webhook-kinds.ts';

/** What a webhook tells, ready to be shown: times in the workspace's zone, keys by their names, amounts with their units. */
export interface WebhookNotice {
  /** The same at every attempt and for every webhook, for instance an alert's id; receivers know a repetition by it. */
  readonly id: string;
  readonly kind: NoticeKind;
  readonly type: AlertType | 'TEST' | 'WEEKLY_DIGEST';
  readonly severity: AlertSeverity;
  readonly title: string;
  readonly message: string;
  /** When it happened, epoch ms. */
  readonly at: number;
  /** Equal for the opening and the end of one episode. */
  readonly episode: string;
  readonly workspace: string;
  /** What is shown beside the message, in order. */
  readonly facts: readonly NoticeFact[];
  /** Where a person reads on. */
  readonly link: string;
  /** For programs: the alert as the API shows it, or the figures of a digest. */
  readonly data: Readonly<Record<string, unknown>>;
}

export const NOTICE_KINDS = ['alert', 'resolved', 'test', 'digest'] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];

export interface NoticeFact {
  readonly name: string;
  readonly value: string;
}

/** Where to, as the webhook has it. */
export interface WebhookTarget {
  readonly url: string;
  /** The newest first; two while an old one is still valid. */
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

/** What came back; `body` is cut. */
export interface ReceiverReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

export type DeliveryVerdict =
  | { readonly outcome: 'delivered' }
  /** Not now: the webhook is tried again, at the earliest after `afterMs` where the receiver says so. */
  | { readonly outcome: 'later'; readonly afterMs: number | null }
  /** Not this message: others may pass. */
  | { readonly outcome: 'refused' }
  /** Never again: the address is gone. */
  | { readonly outcome: 'gone' };

/** A kind of receiver: a pure mapping from a notice to what is sent there. `CONTRIBUTING.md` shows how to add one. */
export interface WebhookDestination {
  readonly type: WebhookType;
  /** Throws a `TollbookError` (`invalid`, with `url` or `secret`) that says what this kind needs. */
  check(target: WebhookTarget): void;
  /** `at` = time of this attempt, epoch ms. */
  message(notice: WebhookNotice, target: WebhookTarget, at: number): WebhookMessage;
  judge(reply: ReceiverReply): DeliveryVerdict;
}
