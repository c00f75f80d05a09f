import type { Actor, AuditRecords } from './audit.ts';
import type { JournalRecords } from './journal.ts';
import type { AdminKeyRecords } from './admin-keys.ts';
import type { JobRecords } from './jobs.ts';
import type { DeliveryRecords } from './delivery-records.ts';
import type { PriceCardRecords, PriceRecords } from './prices.ts';
import type { SubscriptionRecords } from './subscriptions.ts';
import type { WorkspaceRecords } from './workspaces.ts';
import type { KeyRecords } from './keys.ts';
import type { LimitRecords } from './limits.ts';
import type { TokenRecords } from './tokens.ts';
import type { WebhookRecords } from './webhooks.ts';
import type { AlertRecords } from './alerts.ts';
import type { DetectionRecords } from './detection.ts';
import type { MuteRecords } from './mutes.ts';
import type { ProviderRecords } from './custom-providers.ts';
import type { SettingRecords } from './settings.ts';
import type { UserRecords } from './users.ts';
import type { MemberRecords } from './members.ts';
import type { InvitationRecords } from './invitations.ts';

/**
 * The records a person edits. Times are epoch milliseconds. Every function names its workspace; a record of another
 * workspace is answered like one that does not exist. Changes take an actor and write one audit row in their transaction.
 * Errors are `TollbookError`s: `invalid` for a bad field, `not_found`, `conflict` for a name in use, `unprocessable`.
 */
export interface Records {
  readonly workspaces: WorkspaceRecords;
  readonly users: UserRecords;
  readonly members: MemberRecords;
  readonly invitations: InvitationRecords;
  readonly keys: KeyRecords;
  readonly limits: LimitRecords;
  readonly tokens: TokenRecords;
  readonly adminKeys: AdminKeyRecords;
  readonly webhooks: WebhookRecords;
  readonly deliveries: DeliveryRecords;
  readonly jobs: JobRecords;
  readonly prices: PriceRecords;
  readonly priceCards: PriceCardRecords;
  readonly alerts: AlertRecords;
  readonly detection: DetectionRecords;
  readonly mutes: MuteRecords;
  readonly providers: ProviderRecords;
  readonly subscriptions: SubscriptionRecords;
  readonly settings: SettingRecords;
  readonly journal: JournalRecords;
  readonly audit: AuditRecords;
  /** Signs the cookies of sessions; another one after a rotation, which so ends them all. */
  sessionSecret(): string;
  /**
   * Seals every secret anew in one transaction; null = a new random secret. With the secret in the data folder the
   * file is replaced too; with SVC_SECRET the operator sets the new one before the next start (`setByOperator`).
   */
  rotateSecret(newSecret: string | null, actor: Actor): Promise<{ readonly setByOperator: boolean }>;
}
