import type { Episode } from '../../domain/anomaly/episodes.ts';
import type { DetectSettings } from '../../domain/anomaly/series.ts';
import type { CustomProvider } from '../../domain/identity/custom-provider.ts';
import type {
  LimitAction,
  Limit,
  LimitScope,
  LimitRaise,
  UncertainRule,
  LimitUnit,
  LimitWindow,
} from '../../domain/limits/limit.ts';
import type { GatewayKey } from '../../domain/identity/wrapped-key.ts';
import type { Alert, AlertType, AlertSeverity } from '../../domain/alerts/alert.ts';
import type { HeldProviderKey } from '../../domain/reconciliation/held-keys.ts';
import type { AlertMute, NewMute } from '../../domain/alerts/mute.ts';
import type { Policy } from '../../domain/policy/policy.ts';
import type { TokenScope } from '../../domain/identity/access.ts';
import type { DigestSchedule } from '../../domain/alerts/webhook.ts';
import type { WebhookType } from '../../domain/alerts/webhook-kinds.ts';
import type { Actor, AuditRecords } from './audit.ts';
import type { JournalRecords } from './journal.ts';
import type { AdminKeyRecords } from './admin-keys.ts';
import type { JobRecords } from './jobs.ts';
import type { DeliveryRecords } from './delivery-records.ts';
import type { InvitationRecords, MemberRecords, UserRecords } from './people-records.ts';
import type { PriceCardRecords, PriceRecords } from './prices.ts';
import type { SubscriptionRecords } from './subscriptions.ts';

/**
 * The records a person edits. Times are epoch milliseconds. Every function names its workspace; a record of another
 * workspace is answered like one that does not exist. Changes take an actor and write one audit row in their transaction.
 * Errors are `TollbookError`s: `invalid` for a bad field, `not_found`, `conflict` for a name in use, `impossible`.
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

export const DEFAULT_WORKSPACE = 'ws_default';

export interface Workspace {
  readonly id: string;
  readonly name: string;
  /** IANA name, for instance `Europe/Berlin`. */
  readonly timeZone: string;
  /** Entries older than this many days are dropped; roll-ups stay. */
  readonly retentionDays: number;
  readonly createdAt: number;
}

/** Looks at a record in the transaction that is to change it; what it throws ends that. */
type ChangeCheck<T> = (before: T) => void;

export interface WorkspaceRecords {
  list(): Promise<Workspace[]>;
  get(id: string): Promise<Workspace>;
  /** Names are unique. Without a time zone: UTC. Without a retention: 400 days. */
  create(
    input: {
      name: string;
      timeZone?: string;
      retentionDays?: number;
      /** A user's id. Default: nobody in particular. */
      owner?: string;
    },
    actor: Actor,
  ): Promise<Workspace>;
  update(
    id: string,
    change: { name?: string; timeZone?: string; retentionDays?: number },
    actor: Actor,
    check?: ChangeCheck<Workspace>,
  ): Promise<Workspace>;
}

export interface WrappedKey {
  readonly id: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly provider: string;
  /** The six public characters after `svc_sk_`. */
  readonly publicId: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly createdAt: number;
  /** null = it was made before that was kept. */
  readonly createdBy: Actor | null;
  /** null = never. */
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly providerKey: ProviderKeyView;
  readonly policy: Policy;
}

/** What may be seen of a stored provider key. */
interface ProviderKeyView {
  readonly id: string;
  /** First 8 hex digits of its SHA-256; null for a key so short that they would help to guess it. */
  readonly fingerprint: string | null;
  /** Its last four characters, as providers show it; null for a short key. */
  readonly lastFour: string | null;
  readonly setAt: number;
  /** Wrapped keys that are not revoked and stand for it, this one included. */
  readonly usedBy: number;
}

/** Either a provider key's text, or the id of a wrapped key whose provider key is shared. */
type ProviderKeySource = { readonly providerKey: string } | { readonly providerKeyOf: string };

export interface NewKey {
  readonly workspaceId: string;
  readonly name: string;
  readonly provider: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly expiresAt: number | null;
  readonly source: ProviderKeySource;
}

export interface KeyChange {
  readonly name?: string;
  readonly expiresAt?: number | null;
  /** Of the calls that begin from now on. */
  readonly tags?: Readonly<Record<string, string>>;
}

export interface KeyRecords {
  /** The secret is returned here and never again. Names are unique among the workspace's keys that are not revoked. */
  create(input: NewKey, actor: Actor): Promise<{ key: WrappedKey; secret: string }>;
  /** Newest first, revoked ones included. */
  list(workspaceId: string): Promise<WrappedKey[]>;
  get(workspaceId: string, id: string): Promise<WrappedKey>;
  update(
    workspaceId: string,
    id: string,
    change: KeyChange,
    actor: Actor,
    check?: ChangeCheck<WrappedKey>,
  ): Promise<WrappedKey>;
  /** `OPEN_POLICY` takes every rule away. */
  setPolicy(
    workspaceId: string,
    id: string,
    policy: Policy,
    actor: Actor,
    check?: ChangeCheck<WrappedKey>,
  ): Promise<WrappedKey>;
  /** Replaces the stored provider key, and so changes every wrapped key that shares it: all of them are returned. */
  replaceProviderKey(workspaceId: string, id: string, providerKey: string, actor: Actor): Promise<WrappedKey[]>;
  /** Idempotent. A provider key that no wrapped key stands for any more is erased. */
  revoke(workspaceId: string, id: string, actor: Actor, check?: ChangeCheck<WrappedKey>): Promise<WrappedKey>;
  /** Tells a wrapped key from other secrets, revoked ones too. */
  findByHash(hash: string): Promise<{ id: string; workspaceId: string } | null>;
  /** The provider key in clear, for trying it out. Throws a sentence when it can't be opened. */
  providerKey(workspaceId: string, id: string): Promise<string>;
  /**
   * Keys of all workspaces that are not revoked, with their provider keys in clear (expiry is the gate's to judge).
   * One that can't be opened is ''.
   */
  gateKeys(): Promise<GatewayKey[]>;
  /** Provider keys of all workspaces in clear, with those that were replaced or erased, to be matched with what a report shows of keys. */
  heldKeys(provider: string): Promise<HeldProviderKey[]>;
  /** One key of any workspace; a revoked one comes without its provider key (''). null = there is none. */
  gateKey(id: string): Promise<GatewayKey | null>;
}

export interface NewLimit {
  readonly workspaceId: string;
  readonly scope: LimitScope;
  readonly unit: LimitUnit;
  /** usd in nano-USD. */
  readonly amount: number;
  readonly window: LimitWindow;
  readonly action: LimitAction;
  readonly thresholds: readonly number[];
  readonly uncertain: UncertainRule;
  readonly label: string | null;
}

/** Of which a workspace has at most one limit. */
export type LimitKind = Pick<NewLimit, 'workspaceId' | 'scope' | 'unit' | 'window' | 'action'>;

export interface LimitRecords {
  /** A workspace has at most one limit of the same scope, unit, window and action: a second is a `conflict`. */
  create(input: NewLimit, actor: Actor): Promise<Limit>;
  /** Oldest first. */
  list(workspaceId: string): Promise<Limit[]>;
  get(workspaceId: string, id: string): Promise<Limit>;
  /** As many as `limit` after the one with the id `after`, oldest first; null = from the first. */
  page(workspaceId: string, after: string | null, limit: number): Promise<Limit[]>;
  /** The one that there is of this kind; null = none. */
  find(kind: LimitKind): Promise<Limit | null>;
  /** A change of scope, unit or window gives the limit new counters, which then count the window's past. */
  update(
    workspaceId: string,
    id: string,
    change: Partial<Omit<NewLimit, 'workspaceId'>>,
    actor: Actor,
    check?: ChangeCheck<Limit>,
  ): Promise<Limit>;
  raise(
    workspaceId: string,
    id: string,
    raise: LimitRaise | null,
    actor: Actor,
    check?: ChangeCheck<Limit>,
  ): Promise<Limit>;
  remove(workspaceId: string, id: string, actor: Actor, check?: ChangeCheck<Limit>): Promise<Limit>;
  /** The limit that these counters belong to; null = none any more. */
  byCounter(counter: number): Promise<Limit | null>;
  /** The counters hold the past now. Not a person's change: no audit row. Ignored for a counter that is gone. */
  markBackfilled(counter: number): Promise<void>;
  /** Of all workspaces, for the ledger. */
  all(): Promise<Limit[]>;
  /** Those of all workspaces that release uncertain amounts. */
  releasing(): Promise<Limit[]>;
}

export interface AccessToken {
  readonly id: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly publicId: string;
  readonly scopes: readonly TokenScope[];
  readonly createdAt: number;
  /** null = it was made before that was kept. */
  readonly createdBy: Actor | null;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
}

export interface TokenRecords {
  /** The secret is returned here and never again. Names are unique among tokens that are not revoked. */
  create(
    input: { workspaceId: string; name: string; scopes: readonly TokenScope[]; expiresAt: number | null },
    actor: Actor,
  ): Promise<{ token: AccessToken; secret: string; hash: string }>;
  list(workspaceId: string): Promise<AccessToken[]>;
  get(workspaceId: string, id: string): Promise<AccessToken>;
  /** Idempotent. `hash` is for telling the gate. */
  revoke(workspaceId: string, id: string, actor: Actor): Promise<{ token: AccessToken; hash: string }>;
  /** A token that is neither revoked nor expired; else null. */
  findByHash(hash: string): Promise<AccessToken | null>;
  /** Hashes of the tokens of all workspaces that are not revoked. */
  hashes(): Promise<string[]>;
}

export interface Webhook {
  readonly id: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly url: string;
  readonly type: WebhookType;
  readonly events: readonly AlertType[];
  readonly enabled: boolean;
  readonly createdAt: number;
  /** Whether it gets a summary of each week too. */
  readonly digest: DigestSchedule;
  /** Until when messages are signed with the secret before, too; null = there is none. */
  readonly oldSecretUntil: number | null;
  readonly hasSecret: boolean;
  /** A sentence, where the service disabled it; null = it did not. */
  readonly disabledReason: string | null;
  /** Since when every attempt has failed; null = the last one went well, or there was none. */
  readonly failingSince: number | null;
}

export interface NewWebhook {
  readonly workspaceId: string;
  readonly name: string;
  readonly url: string;
  readonly type: WebhookType;
  readonly events: readonly AlertType[];
  readonly secret: string | null;
  readonly digest: DigestSchedule;
}

export type WebhookChange = Partial<Pick<Webhook, 'name' | 'url' | 'events' | 'enabled' | 'digest'>>;

/** Where a webhook's messages go, in clear. */
interface WebhookTarget {
  readonly url: string;
  /** The newest first. */
  readonly secrets: readonly string[];
}

export interface WebhookRecords {
  create(input: NewWebhook, actor: Actor): Promise<Webhook>;
  /** Oldest first. */
  list(workspaceId: string): Promise<Webhook[]>;
  get(workspaceId: string, id: string): Promise<Webhook>;
  /** Enabling one lets it send at once what still waits. */
  update(
    workspaceId: string,
    id: string,
    change: WebhookChange,
    actor: Actor,
    check?: ChangeCheck<Webhook>,
  ): Promise<Webhook>;
  /** With its deliveries. */
  remove(workspaceId: string, id: string, actor: Actor, check?: ChangeCheck<Webhook>): Promise<void>;
  /** The one before signs too until `oldUntil`; null = no more from now on. */
  setSecret(workspaceId: string, id: string, secret: string, oldUntil: number | null, actor: Actor): Promise<Webhook>;
  target(workspaceId: string, id: string): Promise<WebhookTarget>;
}

export interface StoredAlert extends Alert {
  readonly id: string;
  readonly readAt: number | null;
  /** When what it tells of was over; null = it goes on, as far as is known. */
  readonly resolvedAt: number | null;
}

interface AlertQuery {
  readonly limit: number;
  readonly unreadOnly: boolean;
  /** Only those that are older than the one with this id. */
  readonly before?: string | null;
  readonly types?: readonly AlertType[];
  readonly severity?: AlertSeverity;
}

export interface AlertRecords {
  /**
   * Stores an alert once per (workspace, episode); null = it was there already. One that is there and unread takes the
   * newer words and figures. Deliveries to the webhooks that want it are queued in the same transaction. What is muted
   * is not stored, so that it answers null too.
   */
  raise(alert: Alert): Promise<StoredAlert | null>;
  /** What it tells of is over; null = there is no such open episode. Webhooks that tell ends are told so too. */
  resolve(workspaceId: string, episode: string, at: number): Promise<StoredAlert | null>;
  /** Those that are not resolved, oldest first. */
  open(workspaceId: string, types: readonly AlertType[]): Promise<StoredAlert[]>;
  get(workspaceId: string, id: string): Promise<StoredAlert>;
  /** Idempotent: it was read when it was first marked. */
  markRead(workspaceId: string, id: string, actor: Actor): Promise<StoredAlert>;
  /** Of all workspaces, oldest first. */
  unread(type: AlertType): Promise<StoredAlert[]>;
  /** Newest first. */
  list(workspaceId: string, query: AlertQuery): Promise<StoredAlert[]>;
  /** At most so many are counted. */
  countUnread(workspaceId: string, max: number): Promise<number>;
}

/** What one look of detection changes: the episodes it goes on from, and what is told of them. */
export interface DetectionStep {
  readonly episodes: readonly Episode[];
  readonly raise: readonly Alert[];
  /** Episodes of alerts that go on after all, and that are over. */
  readonly reopen: readonly string[];
  readonly resolve: readonly string[];
}

export interface DetectionRecords {
  /** Those of a workspace that set nothing are `DEFAULT_SETTINGS`. */
  settings(workspaceId: string): Promise<DetectSettings>;
  update(workspaceId: string, change: Partial<DetectSettings>, actor: Actor): Promise<DetectSettings>;
  episodes(workspaceId: string): Promise<readonly Episode[]>;
  /** Keeps a step in one transaction, so that no episode is told twice or not at all. Returns the alerts that are new. */
  keep(workspaceId: string, step: DetectionStep, at: number): Promise<StoredAlert[]>;
}

export interface MuteRecords {
  create(input: NewMute, actor: Actor): Promise<AlertMute>;
  /** Those that hold, oldest first. */
  list(workspaceId: string): Promise<AlertMute[]>;
  remove(workspaceId: string, id: string, actor: Actor): Promise<AlertMute>;
}

/** OpenAI-compatible providers that the operator added, kept in `providers.json` of the data folder. */
export interface ProviderRecords {
  list(): Promise<CustomProvider[]>;
  add(row: CustomProvider, actor: Actor): Promise<void>;
  remove(id: string, actor: Actor): Promise<void>;
}

/** Facts of the installation as text; never a secret. */
export interface SettingRecords {
  get(name: string): Promise<string | null>;
  set(name: string, value: string, actor: Actor): Promise<void>;
}
