import type { AccountServices } from './account.ts';
import type { AdminKeyServices } from './admin-keys.ts';
import type { AlertServices } from './alerts.ts';
import type { AnomalyServices } from './anomalies.ts';
import type { AssistantServices } from './assistants.ts';
import type { AuditServices } from './audit.ts';
import type { CoverageServices } from './coverage.ts';
import type { DeliveryServices } from './deliveries.ts';
import type { EntryServices } from './entries.ts';
import type { ExportServices } from './export.ts';
import type { CallSessionServices } from './sessions.ts';
import type { CallerServices } from './http/caller.ts';
import type { InstallationServices } from './installation.ts';
import type { InvitationServices } from './invitations.ts';
import type { KeyServices } from './keys.ts';
import type { LimitServices } from './limits.ts';
import type { LiveServices } from './live.ts';
import type { MemberServices } from './members.ts';
import type { MuteServices } from './mutes.ts';
import type { ObservedServices } from './observed-calls.ts';
import type { PolicyServices } from './policies.ts';
import type { BillLineServices } from './bill-lines.ts';
import type { ContractServices } from './contracts.ts';
import type { PriceServices } from './prices.ts';
import type { PriceUpdateServices } from './price-updates.ts';
import type { ProviderTestServices } from './provider-test.ts';
import type { ProviderServices } from './providers.ts';
import type { ReconciliationServices } from './reconciliation.ts';
import type { SavingServices } from './savings.ts';
import type { SavedViewServices } from './saved-views.ts';
import type { SubscriptionServices } from './subscriptions.ts';
import type { SyncServices } from './sync.ts';
import type { TelemetryServices } from './telemetry.ts';
import type { TokenServices } from './tokens.ts';
import type { PriceCoverageServices } from './usage/price-coverage.ts';
import type { UsageServices } from './usage/usage-rows.ts';
import type { UserSessionServices } from './user-sessions.ts';
import type { UserServices } from './users.ts';
import type { RefusalServices } from './refusals.ts';
import type { WebhookServices } from './webhooks.ts';
import type { WorkspaceServices } from './workspaces.ts';
import type { Log } from '../lib/log.ts';
import type { SiteFiles } from '../lib/http/site-files.ts';
import type { GatewayNotices } from './gateway-notices.ts';

/** Services of all endpoints; the ledger thread builds them once. Each resource declares what it needs. */
export type Services = AccountServices &
  AdminKeyServices &
  AlertServices &
  AnomalyServices &
  AssistantServices &
  AuditServices &
  CoverageServices &
  DeliveryServices &
  EntryServices &
  ExportServices &
  CallerServices &
  CallSessionServices &
  InstallationServices &
  InvitationServices &
  KeyServices &
  LimitServices &
  LiveServices &
  MemberServices &
  MuteServices &
  SavedViewServices &
  ObservedServices &
  PolicyServices &
  PriceServices &
  PriceUpdateServices &
  BillLineServices &
  ContractServices &
  ProviderServices &
  ProviderTestServices &
  ReconciliationServices &
  RefusalServices &
  SavingServices &
  SubscriptionServices &
  SyncServices &
  TelemetryServices &
  TokenServices &
  PriceCoverageServices &
  UsageServices &
  UserSessionServices &
  UserServices &
  WebhookServices &
  WorkspaceServices &
  ServerServices;

/** Services of the API itself. */
interface ServerServices {
  readonly log: Log;
  readonly gateway: GatewayNotices;
  /** Files of the built dashboard; null = not built. */
  readonly site: SiteFiles | null;
}
