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
  /** What organizations' reports hold beyond the calls of the gate. */
  readonly reportRest: UnproxiedUsageStore;
  /** How a workspace's sessions are named and priced. */
  readonly pricingOf: PricingOf;
  readonly accounts: AccountService;
  readonly prices: PriceBook;
  /** By id; a live view: providers that the operator adds appear in it after `gate.providersChanged()`. */
  readonly providers: ReadonlyMap<string, Provider>;
  readonly gateway: GatewayNotices;
  readonly installation: InstallationService;
  readonly deliveries: DeliverySender;
  readonly detector: AnomalyDetector;
  readonly providerReports: ProviderReportService;
  readonly digests: DigestService;
  readonly live: LiveStreams;
  /** The dashboard as it was built; null = it was not. */
  readonly site: SiteFiles | null;
  /** How the counters of these limits stand: as the gate says, or, where there is none, as they are stored. */
  standings(limits: readonly Limit[]): Promise<readonly CounterStatus[]>;
  /** Whom a limit refused lately, the newest first. */
  refusals(limit: Pick<Limit, 'id'>): Promise<readonly RefusedCall[]>;
}

/** People who sign in with a password; the book provides it. Each takes from the visit what it needs, and adds cookies. */
interface AccountService {
  /** The user whose session it is; null = it has none that is good. `renew`: it lasts anew from now. */
  find(visit: RequestInfo, renew: boolean): Promise<string | null>;
  /** The same, with the session. */
  findSession(visit: RequestInfo, renew: boolean): Promise<{ readonly id: string; readonly userId: string } | null>;
  /** Counts an attempt with a password or a code. Throws `rate_limited`. */
  countAttempt(visit: RequestInfo): void;
  /** Counts how often one code that is good is tried. Throws `rate_limited`. */
  countUse(visit: RequestInfo, invitationId: string): void;
  /** An account has another password, whoever gave it. */
  forgetAttempts(email: string): void;
  /** Throws `invalid` for a password that is too short or too long. */
  hashPassword(password: string): Promise<string>;
  /** Returns the user's id. Throws `invalid_credentials`, the same for an e-mail that is known and one that is not, or `rate_limited`. */
  signIn(visit: RequestInfo, given: { email: string; password: string; rememberMe?: boolean }): Promise<string>;
  /** Returns whose session it was; null = it was none. */
  signOut(visit: RequestInfo): Promise<string | null>;
  /** Throws `wrong_password`, `invalid`, `conflict` or `rate_limited`; then nothing is changed. */
  changePassword(
    visit: RequestInfo,
    userId: string,
    given: { currentPassword: string; newPassword: string; revokeOtherSessions: boolean },
  ): Promise<void>;
  /** The user's own doing. Throws `invalid` or `rate_limited`. */
  rename(userId: string, name: string): Promise<void>;
  /** Signs in whoever opens a demo; null = this is none. */
  enterDemo(visit: RequestInfo): Promise<string | null>;
}

/** Sending to webhooks; the book provides it. */
export interface DeliverySender {
  /** Begins to send what is due. */
  start(): void;
  /** Sends one message at once and tells how it went. */
  test(
    workspaceId: string,
    webhookId: string,
  ): Promise<{ readonly delivery: Delivery; readonly attempt: DeliveryAttempt }>;
  /** Throws `invalid` when nothing may be sent to an address. What can't be looked up now is accepted. */
  checkAddress(url: string): Promise<void>;
}

/** What webhooks get each Monday; the book provides it. */
export interface DigestService {
  /** Of the last week that is over. */
  preview(workspaceId: string): Promise<WebhookNotice>;
}

/** Reports of organizations; the book provides it. */
export interface ProviderReportService {
  /**
   * Whose admin key it is, by what the provider says. Throws `unprocessable` for a key of another kind or one that is
   * refused, `upstream_unreachable` when nobody could be asked.
   */
  identifyOrganization(
    provider: string,
    key: string,
  ): Promise<{ readonly id: string | null; readonly name: string | null }>;
  progress(key: AdminKey): Promise<ReportProgress>;
  /** The days of which its reports were read; null = none yet. */
  readTime(key: AdminKey): Promise<Period | null>;
  /** Holds the book against its reports, of the days of a range that were read; null = none was yet. */
  compare(key: AdminKey, range: Period): Promise<ReportComparison | null>;
  /** Why calls without an answer of a key, that began on these days, keep their doubt; null = nothing speaks against it. */
  unresolvedCalls(adminKeyId: string, key: string, range: Period): UnresolvedCalls | null;
  /** Begins to read what is due. */
  start(): void;
  /** Reads all its reports soon, due or not; false = no service runs that would. */
  sync(adminKeyId: string): boolean;
}

interface ReportComparison {
  /** The days that were read, of those asked for. */
  readonly range: Period;
  readonly names: readonly ReportName[];
  /** Days before change no more. */
  readonly closedBefore: number;
  /** Ids of the wrapped keys, of any workspace, that stood for a key of the report on any of the days. */
  wrappedIn(key: string): ReadonlySet<string>;
  /** One by one: others have their turn in between. */
  days(): AsyncIterable<ReconciledDay>;
}

export interface ReportProgress {
  /** The newest days that were read of all reports, of those asked for. */
  readonly days: number;
  readonly of: number;
  /** When usage was last read to today; null = never. */
  readonly readAt: number | null;
  /** Of the last 30 days that change no more. */
  readonly coverage: SpendCoverage;
}

/** Looking for anomalies; the book provides it. Times are epoch ms. */
interface AnomalyDetector {
  /** What is unusual now. */
  look(workspaceId: string, now: number): Promise<DetectionResult>;
  /** What would have been told in a time that is over. `first` = the first hour with use that was looked at; null = none. */
  replay(
    workspaceId: string,
    time: { readonly from: number; readonly to: number },
  ): Promise<{ readonly episodes: readonly Episode[]; readonly first: number | null }>;
}

export interface ApiSettings {
  /** Public address shown to users, without a trailing slash. */
  readonly baseUrl: string;
  /** Further host names by which the service may be addressed; in lower case. */
  readonly allowedHosts: readonly string[];
  readonly tokenRequestsPerMinute: number;
  readonly version: string;
  /** Sandbox providers and invented traffic: every page says so. */
  readonly demo: boolean;
}

/** Tells the gate thread what changed in the records. Called after the change is committed. */
export interface GatewayNotices {
  keyChanged(keyId: string): Promise<void> | void;
  tokenChanged(tokenHash: string, live: boolean): void;
  /** `set`: a price that a workspace set for itself. Its calls are priced anew; those of a removed one keep it. */
  pricesChanged(set?: WorkspaceCard): Promise<void> | void;
  providersChanged(): Promise<void> | void;
  limitChanged(limit: Limit): void;
  /**
   * Until the gate works with everything it was told, so that a change is in force when its answer comes; false = it
   * does not say so in time, and the change comes into force by itself.
   */
  whenApplied(): Promise<boolean>;
  limitRemoved(limit: Pick<Limit, 'id' | 'workspaceId'>): void;
  /** Somebody has read it. */
  alertRead(alert: StoredAlert): void;
  /** The workspace has another time zone: its limits' windows follow it. */
  zoneChanged(workspaceId: string): Promise<void> | void;
}

/** Work on the folder or the network that is more than a record; the book provides it. */
export interface InstallationService {
  /** Asks the provider's free model list with this key. */
  testKey(provider: Provider, providerKey: string): Promise<KeyTest>;
  /** Writes a consistent copy of book and journal into a new folder while everything runs. */
  backup(folder: string): Promise<BackupResult>;
  /** Fetches price data from the configured address and puts it to use. */
  refreshPrices(): Promise<RefreshResult>;
  /** Gives up a journal that is missing, so that the next start begins one. Throws `conflict` where it is there. */
  renewJournal(actor: Actor): Promise<void>;
  /** Checks of the whole installation; `online` also reaches the providers. */
  doctor(online: boolean): Promise<readonly DoctorCheck[]>;
}

export type KeyTest =
  | { readonly ok: true }
  /** `offline`: nobody could be asked, so that nothing is known about the key. `message` is a sentence. */
  | { readonly ok: false; readonly offline: boolean; readonly message: string };

export interface BackupResult {
  readonly folder: string;
  /** Names below the folder. */
  readonly files: readonly string[];
  /** A sentence on what the copy does not hold (the secret given by the environment); null = it is complete. */
  readonly note: string | null;
}

export interface RefreshResult {
  /** Where the data came from. */
  readonly source: string;
  readonly cards: number;
}

export interface DoctorCheck {
  readonly name: string;
  readonly state: 'ok' | 'warning' | 'failed' | 'skipped';
  /** A sentence: what was found and what to do. */
  readonly message: string;
}
