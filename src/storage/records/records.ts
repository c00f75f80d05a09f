import { openVault, type RotateSecret, secretRotation } from './master-secret.ts';
import { type AuditRecords, auditRecords } from './audit.ts';
import { type JournalRecords, journalRecords } from './journal.ts';
import { type NodeRecords, nodeRecords } from './nodes.ts';
import { type AdminKeyRecords, adminKeyRecords } from './admin-keys.ts';
import { type JobRecords, jobRecords } from './jobs.ts';
import type { DeliveryRecords } from './delivery-records.ts';
import { priceListRecords, type PriceListRecords } from './price-lists.ts';
import { type PriceCardRecords, priceCardRecords, type PriceRecords, priceRecords } from './prices.ts';
import { type BillLineRecords, billLineRecords } from './bill-lines.ts';
import { type ContractRecords, contractRecords } from './contracts.ts';
import { type CallProblemRecords, callProblemRecords } from './call-problems.ts';
import { type SavedViewRecords, savedViewRecords } from './saved-views.ts';
import { type SubscriptionRecords, subscriptionRecords } from './subscriptions.ts';
import { ensureDefaultWorkspace, type WorkspaceRecords, workspaceRecords } from './workspaces.ts';
import { type KeyRecords, keyRecords } from './keys.ts';
import { type LimitRecords, limitRecords } from './limits.ts';
import { type TokenRecords, tokenRecords } from './tokens.ts';
import { type WebhookRecords, webhookRecords } from './webhooks.ts';
import { type AlertRecords, alertRecords } from './alerts.ts';
import { type DetectionRecords, detectionRecords } from './detection.ts';
import { type OutcomeRecords, outcomeRecords } from './outcomes.ts';
import { type MuteRecords, muteRecords } from './mutes.ts';
import { type ProviderRecords, providerRecords } from './custom-providers.ts';
import { type SettingRecords, settingRecords } from './settings.ts';
import { type UserRecords, userRecords } from './users.ts';
import { type MemberRecords, memberRecords } from './members.ts';
import { type InvitationRecords, invitationRecords } from './invitations.ts';
import type { Clock } from '../../lib/clock.ts';
import { createIdSource } from '../../lib/crypto/id.ts';
import { type AttemptRecords, attemptRows, attemptsInMemory } from './attempts.ts';
import type { RecordContext } from './context.ts';
import { documentFiles, documentRows, type DocumentRecords } from './documents.ts';
import { deliveryRecords } from './deliveries.ts';
import type { RecordDb } from './tables.ts';

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
  readonly priceLists: PriceListRecords;
  readonly contracts: ContractRecords;
  readonly billLines: BillLineRecords;
  readonly alerts: AlertRecords;
  readonly detection: DetectionRecords;
  readonly mutes: MuteRecords;
  readonly outcomes: OutcomeRecords;
  readonly providers: ProviderRecords;
  readonly savedViews: SavedViewRecords;
  readonly callProblems: CallProblemRecords;
  readonly subscriptions: SubscriptionRecords;
  readonly settings: SettingRecords;
  readonly documents: DocumentRecords;
  readonly attempts: AttemptRecords;
  readonly journal: JournalRecords;
  readonly nodes: NodeRecords;
  readonly audit: AuditRecords;
  /** Returns the secret that signs session cookies. A rotation, also by another process, changes it and ends all sessions. */
  sessionSecret(): Promise<string>;
  readonly rotateSecret: RotateSecret;
}

const SESSION_PURPOSE = 'sign sessions v1';

export interface RecordsOptions {
  readonly db: RecordDb;
  /** Holds the master secret and the documents, unless several processes use the database. */
  readonly dataDir: string;
  /** SVC_SECRET; null = the secret in the data folder, created if missing. */
  readonly secret: string | null;
  /** SVC_SECRET_NEXT; absent = not set. */
  readonly nextSecret?: string | null;
  /** Several processes use the database. Default: only this one. */
  readonly shared?: boolean;
  /** Distinguishes the notes of this node from those of others on the database. Default: no other uses it. */
  readonly place?: string;
  /** Id of this node, where others use the database too. Default: none. */
  readonly nodeId?: string | null;
  /** Several workers of this service admit calls. Default: false. */
  readonly hasWorkers?: boolean;
  readonly clock: Clock;
}

/** Opens the records of a database that is up to date. Throws a `TollbookError` when the master secret does not fit. */
export async function openRecords(options: RecordsOptions): Promise<Records> {
  const { db, dataDir, secret, nextSecret = null, shared = false, place = '', hasWorkers = false, clock } = options;
  const nodeId = place === '' ? null : (options.nodeId ?? null);
  const origin = { dataDir, secret, nextSecret, shared };
  const vault = await openVault(db, origin);
  const hasNodes = place !== '' || hasWorkers;
  const nextDeliveryId = createIdSource('dl', clock);
  const context: RecordContext = { db, clock, vault, place, nodeId, hasNodes, nextDeliveryId };
  await ensureDefaultWorkspace(context);
  const documents = shared ? documentRows(db) : documentFiles(dataDir);
  return {
    workspaces: workspaceRecords(context),
    users: userRecords(context),
    members: memberRecords(context),
    invitations: invitationRecords(context),
    keys: keyRecords(context),
    limits: limitRecords(context),
    tokens: tokenRecords(context),
    adminKeys: adminKeyRecords(context),
    webhooks: webhookRecords(context),
    deliveries: deliveryRecords(context),
    jobs: jobRecords(context),
    prices: priceRecords(context),
    contracts: contractRecords(context),
    billLines: billLineRecords(context),
    priceCards: priceCardRecords(context),
    priceLists: priceListRecords(context, documents),
    alerts: alertRecords(context),
    detection: detectionRecords(context),
    mutes: muteRecords(context),
    outcomes: outcomeRecords(context),
    providers: providerRecords(context, documents),
    savedViews: savedViewRecords(context),
    callProblems: callProblemRecords(context),
    subscriptions: subscriptionRecords(context),
    settings: settingRecords(context),
    documents,
    attempts: shared ? attemptRows(db, clock) : attemptsInMemory(clock),
    journal: journalRecords(context),
    nodes: nodeRecords(context),
    audit: auditRecords(context),
    async sessionSecret() {
      await vault.follow(db);
      return vault.derive(SESSION_PURPOSE);
    },
    rotateSecret: secretRotation(context, origin),
  };
}
