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
 * The records that people edit. Times are epoch milliseconds. Every function names its workspace; a record of another
 * workspace is reported as missing. Changes take an actor and write an audit row in the same transaction. Errors are
 * `TollbookError`s: `invalid` for a field, `not_found`, `conflict` for a used name, `unprocessable`.
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
  /** Returns the secret that signs session cookies. A rotation changes it, which ends all sessions. */
  sessionSecret(): string;
  /**
   * Encrypts every secret again in one transaction; null = a new random secret. A secret in the data folder is
   * replaced there. With SVC_SECRET the operator sets the new one before the next start (`setByOperator`).
   */
  rotateSecret(newSecret: string | null, actor: Actor): Promise<{ readonly setByOperator: boolean }>;
}
