import type { DetectionResult } from '../domain/anomaly/detect.ts';
import type { Episode } from '../domain/anomaly/episodes.ts';
import type { SpendCoverage } from '../domain/reconciliation/coverage.ts';
import type { Limit, CounterStatus } from '../domain/limits/limit.ts';
import type { WorkspaceCard } from '../domain/pricing/price.ts';
import type { RefusedCall } from '../domain/usage/call.ts';
import type { ReportName } from '../domain/reconciliation/provider-report.ts';
import type { UnresolvedCalls } from '../domain/reconciliation/unresolved-calls.ts';
import type { ReconciledDay } from '../domain/reconciliation/reconcile.ts';
import type { WebhookNotice } from '../notifications/destinations/destination.ts';
import type { Provider } from '../providers/provider.ts';
import type { PriceBook } from '../prices/price-book.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { SiteFiles } from '../lib/http/site-files.ts';
import type { DeliveryAttempt, Delivery } from '../storage/records/delivery-records.ts';
import type { Actor } from '../storage/records/audit.ts';
import type { AdminKey } from '../storage/records/admin-keys.ts';
import type { Records } from '../storage/records/records.ts';
import type { UnproxiedUsageStore } from '../storage/unproxied-usage.ts';
import type { LiveStreams } from './live-streams.ts';
import type { RequestInfo } from './http/request-info.ts';
import type { Period } from '../domain/time/period.ts';
import type { StoredAlert } from '../storage/records/alerts.ts';
import type { EntryStore } from '../storage/entry-store.ts';
import type { UsageQueries } from '../storage/usage-queries.ts';
import type { PricingOf, SessionStore } from '../storage/session-store.ts';

/** Everything the endpoints need; the composition root builds it once. */
export interface Services {
  readonly settings: ApiSettings;
  readonly clock: Clock;
  readonly log: Log;
  readonly records: Records;
  readonly entries: EntryStore;
  readonly reports: UsageQueries;
  readonly sessions: SessionStore;
  /** Unproxied usage: usage in provider reports that did not go through the gateway. */
  readonly reportRest: UnproxiedUsageStore;
  /** Returns the names and prices of a workspace's assistant sessions. */
  readonly pricingOf: PricingOf;
  readonly accounts: AccountService;
  readonly prices: PriceBook;
  /** Providers by id, as a live view: added ones appear after `gateway.providersChanged()`. */
  readonly providers: ReadonlyMap<string, Provider>;
  readonly gateway: GatewayNotices;
  readonly installation: InstallationService;
  readonly deliveries: DeliverySender;
  readonly detector: AnomalyDetector;
  readonly providerReports: ProviderReportService;
  readonly digests: DigestService;
  readonly live: LiveStreams;
  /** Files of the built dashboard; null = not built. */
  readonly site: SiteFiles | null;
  /** Returns the counters of limits: from the gateway, or the stored ones when none runs. */
  standings(limits: readonly Limit[]): Promise<readonly CounterStatus[]>;
  /** Returns the calls that a limit refused lately, newest first. */
  refusals(limit: Pick<Limit, 'id'>): Promise<readonly RefusedCall[]>;
}

/**
 * Accounts with passwords, provided by the ledger thread. Methods read the request information and add cookies to it.
 */
interface AccountService {
  /** Returns the user of the session; null = no valid session. `renew`: extends the session from now. */
  find(requestInfo: RequestInfo, renew: boolean): Promise<string | null>;
  /** Returns the user and the session id; null = no valid session. */
  findSession(
    requestInfo: RequestInfo,
    renew: boolean,
  ): Promise<{ readonly id: string; readonly userId: string } | null>;
  /** Counts an attempt with a password or a code. Throws `rate_limited`. */
  countAttempt(requestInfo: RequestInfo): void;
  /** Counts uses of a valid code. Throws `rate_limited`. */
  countUse(requestInfo: RequestInfo, invitationId: string): void;
  /** Drops counted sign-in attempts after the password of an account changed. */
  forgetAttempts(email: string): void;
  /** Hashes a password. Throws `invalid` if it is too short or too long. */
  hashPassword(password: string): Promise<string>;
  /**
   * Signs in and returns the user's id. Throws `invalid_credentials`, the same for known and unknown email addresses,
   * or `rate_limited`.
   */
  signIn(requestInfo: RequestInfo, given: { email: string; password: string; rememberMe?: boolean }): Promise<string>;
  /** Signs out and returns the user; null = no session. */
  signOut(requestInfo: RequestInfo): Promise<string | null>;
  /**
   * Changes the password. Throws `wrong_password`, `invalid`, `conflict` or `rate_limited`, and then changes nothing.
   */
  changePassword(
    requestInfo: RequestInfo,
    userId: string,
    given: { currentPassword: string; newPassword: string; revokeOtherSessions: boolean },
  ): Promise<void>;
  /** Changes the user's own name. Throws `invalid` or `rate_limited`. */
  rename(userId: string, name: string): Promise<void>;
  /** Signs in a visitor of the demo; null = not a demo. */
  enterDemo(requestInfo: RequestInfo): Promise<string | null>;
}

/** Sends to webhooks; provided by the ledger thread. */
export interface DeliverySender {
  /** Starts sending due deliveries. */
  start(): void;
  /** Sends one test message immediately and returns the result. */
  test(
    workspaceId: string,
    webhookId: string,
  ): Promise<{ readonly delivery: Delivery; readonly attempt: DeliveryAttempt }>;
  /** Throws `invalid` if sending to an address is not allowed. Accepts addresses that can't be looked up now. */
  checkAddress(url: string): Promise<void>;
}

/** Weekly digests; provided by the ledger thread. */
export interface DigestService {
  /** Returns the digest of the last complete week. */
  preview(workspaceId: string): Promise<WebhookNotice>;
}

/** Provider reports of organizations; provided by the ledger thread. */
export interface ProviderReportService {
  /**
   * Asks the provider for the organization of an admin key. Throws `unprocessable` for a refused key or one of another
   * kind, `upstream_unreachable` when the provider can't be reached.
   */
  identifyOrganization(
    provider: string,
    key: string,
  ): Promise<{ readonly id: string | null; readonly name: string | null }>;
  progress(key: AdminKey): Promise<ReportProgress>;
  /** Returns the days whose reports were read; null = none yet. */
  readTime(key: AdminKey): Promise<Period | null>;
  /** Compares the ledger with the reports, for the days of a range that were read; null = none yet. */
  compare(key: AdminKey, range: Period): Promise<ReportComparison | null>;
  /**
   * Returns why calls of a key without an answer on these days stay uncertain; null = nothing prevents their
   * correction.
   */
  unresolvedCalls(adminKeyId: string, key: string, range: Period): UnresolvedCalls | null;
  /** Starts reading due reports. */
  start(): void;
  /** Schedules reading all its reports soon; false = no report sync is running. */
  sync(adminKeyId: string): boolean;
}

interface ReportComparison {
  /** Requested days that were read. */
  readonly range: Period;
  readonly names: readonly ReportName[];
  /** Days before this are final. */
  readonly closedBefore: number;
  /** Returns ids of wrapped keys of any workspace that used a key of the report on any of the days. */
  wrappedIn(key: string): ReadonlySet<string>;
  /** Yields days one by one, so that other work runs in between. */
  days(): AsyncIterable<ReconciledDay>;
}

export interface ReportProgress {
  /** Number of newest requested days whose reports were all read. */
  readonly days: number;
  readonly of: number;
  /** Time of the last complete usage read; null = never. */
  readonly readAt: number | null;
  /** Coverage of the last 30 final days. */
  readonly coverage: SpendCoverage;
}

/** Detects anomalies; provided by the ledger thread. Times are epoch ms. */
interface AnomalyDetector {
  /** Detects current anomalies. */
  look(workspaceId: string, now: number): Promise<DetectionResult>;
  /**
   * Detects anomalies of a past period with the knowledge of its time. `first`: the first hour with usage that was
   * checked; null = none.
   */
  replay(
    workspaceId: string,
    time: { readonly from: number; readonly to: number },
  ): Promise<{ readonly episodes: readonly Episode[]; readonly first: number | null }>;
}

export interface ApiSettings {
  /** Public address shown to users, without a trailing slash. */
  readonly baseUrl: string;
  /** Additional host names of the service, in lower case. */
  readonly allowedHosts: readonly string[];
  readonly tokenRequestsPerMinute: number;
  readonly version: string;
  /** Providers are a sandbox and the traffic is invented; every page shows that. */
  readonly demo: boolean;
}

/** Notifies the gateway thread of changed records, after the change is committed. */
export interface GatewayNotices {
  keyChanged(keyId: string): Promise<void> | void;
  tokenChanged(tokenHash: string, live: boolean): void;
  /**
   * Announces changed prices. `set`: a new custom price, whose calls are priced again. Calls of a removed one keep it.
   */
  pricesChanged(set?: WorkspaceCard): Promise<void> | void;
  providersChanged(): Promise<void> | void;
  limitChanged(limit: Limit): void;
  /** Waits until the gateway has applied all notices; false = it did not confirm in time and applies them later. */
  whenApplied(): Promise<boolean>;
  limitRemoved(limit: Pick<Limit, 'id' | 'workspaceId'>): void;
  /** An alert was read. */
  alertRead(alert: StoredAlert): void;
  /** Announces a new time zone of a workspace; windows of its limits follow it. */
  zoneChanged(workspaceId: string): Promise<void> | void;
}

/** Operations on the data folder or the network; provided by the ledger thread. */
export interface InstallationService {
  /** Tests a key by asking for the provider's free model list. */
  testKey(provider: Provider, providerKey: string): Promise<KeyTest>;
  /** Writes a consistent copy of ledger and journal into a new folder while everything runs. */
  backup(folder: string): Promise<BackupResult>;
  /** Fetches price data from the configured address and applies it. */
  refreshPrices(): Promise<RefreshResult>;
  /** Gives up a missing journal, so that the next start creates a new one. Throws `conflict` if it exists. */
  renewJournal(actor: Actor): Promise<void>;
  /** Runs all checks of the installation; `online` also contacts the providers. */
  doctor(online: boolean): Promise<readonly DoctorCheck[]>;
}

export type KeyTest =
  | { readonly ok: true }
  /** `offline`: the provider could not be reached, so the key is untested. `message` is a sentence. */
  | { readonly ok: false; readonly offline: boolean; readonly message: string };

export interface BackupResult {
  readonly folder: string;
  /** Paths relative to the folder. */
  readonly files: readonly string[];
  /** A sentence about missing parts of the copy (a secret from the environment); null = complete. */
  readonly note: string | null;
}

export interface RefreshResult {
  /** Address of the data. */
  readonly source: string;
  readonly cards: number;
}

export interface DoctorCheck {
  readonly name: string;
  readonly state: 'ok' | 'warning' | 'failed' | 'skipped';
  /** A sentence: the finding and the remedy. */
  readonly message: string;
}
