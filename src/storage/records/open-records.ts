import type { Clock } from '../../lib/clock.ts';
import { createIdSource } from '../../lib/crypto/id.ts';
import { adminKeyRecords } from './admin-keys.ts';
import { alertRecords } from './alerts.ts';
import { auditRecords } from './audit.ts';
import type { RecordContext } from './context.ts';
import { deliveryRecords } from './deliveries.ts';
import { detectionRecords } from './detection.ts';
import { jobRecords } from './jobs.ts';
import { invitationRecords } from './invitations.ts';
import { journalRecords } from './journal.ts';
import { keyRecords } from './keys.ts';
import { limitRecords } from './limits.ts';
import { openVault, secretRotation } from './master-secret.ts';
import { memberRecords } from './members.ts';
import { muteRecords } from './mutes.ts';
import { priceCardRecords, priceRecords } from './prices.ts';
import { providerRecords } from './custom-providers.ts';
import type { Records } from './records.ts';
import { settingRecords } from './settings.ts';
import type { RecordDb } from './tables.ts';
import { subscriptionRecords } from './subscriptions.ts';
import { tokenRecords } from './tokens.ts';
import { userRecords } from './users.ts';
import { webhookRecords } from './webhooks.ts';
import { ensureDefaultWorkspace, workspaceRecords } from './workspaces.ts';

const SESSION_PURPOSE = 'sign sessions v1';

export interface RecordsOptions {
  readonly db: RecordDb;
  /** Holds the master secret and `providers.json`. */
  readonly dataDir: string;
  /** SVC_SECRET; null = the secret in the data folder, created if missing. */
  readonly secret: string | null;
  readonly clock: Clock;
}

/** Opens the records of a database that is up to date. Throws a `TollbookError` when the master secret does not fit. */
export async function openRecords({ db, dataDir, secret, clock }: RecordsOptions): Promise<Records> {
  const vault = await openVault(db, dataDir, secret);
  const context: RecordContext = { db, clock, vault, nextDeliveryId: createIdSource('dl', clock) };
  await ensureDefaultWorkspace(context);
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
    priceCards: priceCardRecords(context),
    alerts: alertRecords(context),
    detection: detectionRecords(context),
    mutes: muteRecords(context),
    providers: providerRecords(context, dataDir),
    subscriptions: subscriptionRecords(context),
    settings: settingRecords(context),
    journal: journalRecords(context),
    audit: auditRecords(context),
    sessionSecret: () => vault.derive(SESSION_PURPOSE),
    rotateSecret: secretRotation(context, { dataDir, fromEnvironment: secret !== null }),
  };
}
