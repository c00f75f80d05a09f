import type { KeyCredential } from '../../domain/identity/wrapped-key.ts';
import type { Kysely, Transaction } from 'kysely';

/**
 * Columns of the record tables. Portable: epoch-ms integers, JSON as text, booleans as 0 and 1, so that another
 * engine can store them with the same code.
 */
export interface RecordTables {
  workspaces: {
    id: string;
    name: string;
    time_zone: string;
    /** JSON list of `ZoneChange`, oldest first; the last is `time_zone`. */
    time_zones: string;
    retention_days: number;
    created_at: number;
  };
  provider_keys: {
    id: string;
    workspace_id: string;
    provider: string;
    /** Encrypted under `id`; null once no wrapped key uses it. */
    sealed: string | null;
    fingerprint: string | null;
    last_four: string | null;
    set_at: number;
  };
  /** Provider keys that were replaced or erased. */
  former_provider_keys: {
    id: string;
    provider_key_id: string;
    /** Encrypted JSON of its first and last characters; null = not archived. */
    sealed_ends: string | null;
    fingerprint: string | null;
    last_four: string | null;
    set_at: number;
    ended_at: number;
  };
  wrapped_keys: {
    id: string;
    workspace_id: string;
    provider_key_id: string;
    name: string;
    provider: string;
    public_id: string;
    hash: string;
    tags: string;
    created_at: number;
    expires_at: number | null;
    revoked_at: number | null;
    /** JSON; null = the open policy. */
    policy: string | null;
    credential: KeyCredential;
    /** The actor; null = unknown. */
    created_by: string | null;
  };
  limits: {
    id: string;
    /** Unique for ever. */
    counter: number;
    workspace_id: string;
    /** Kind of the scope. */
    kind: string;
    /** JSON with its fields in a fixed order: equal scopes are equal texts. */
    scope: string;
    unit: string;
    amount: number;
    raise: string | null;
    window: string;
    action: string;
    thresholds: string;
    uncertain: string;
    label: string | null;
    counts_observed: number;
    backfilled: number;
    created_at: number;
  };
  access_tokens: {
    id: string;
    workspace_id: string;
    name: string;
    public_id: string;
    hash: string;
    scopes: string;
    created_at: number;
    expires_at: number | null;
    revoked_at: number | null;
    /** The actor; null = unknown. */
    created_by: string | null;
  };
  /** Times in the tables of users are ISO 8601 texts, written by the authentication library. */
  users: {
    id: string;
    name: string;
    email: string;
    email_verified: number;
    image: string | null;
    created_at: string;
    updated_at: string;
  };
  user_credentials: {
    id: string;
    user_id: string;
    account_id: string;
    provider_id: string;
    /** Hashed by the authentication library. */
    password: string | null;
    access_token: string | null;
    refresh_token: string | null;
    id_token: string | null;
    access_token_expires_at: string | null;
    refresh_token_expires_at: string | null;
    scope: string | null;
    created_at: string;
    updated_at: string;
  };
  user_sessions: {
    id: string;
    user_id: string;
    /** Useless by itself: the cookie holds it with a signature. */
    token: string;
    expires_at: string;
    ip_address: string | null;
    user_agent: string | null;
    created_at: string;
    updated_at: string;
  };
  members: {
    workspace_id: string;
    user_id: string;
    role: string;
    since: number;
  };
  invitations: {
    id: string;
    workspace_id: string;
    hash: string;
    role: string;
    email: string | null;
    created_by: string;
    created_at: number;
    expires_at: number;
    accepted_by: string | null;
    accepted_at: number | null;
    revoked_at: number | null;
  };
  admin_keys: {
    id: string;
    workspace_id: string;
    provider: string;
    name: string;
    /** Encrypted under `id`; null once removed. */
    sealed: string | null;
    fingerprint: string;
    last_four: string;
    organization_id: string | null;
    organization_name: string | null;
    created_at: number;
    paused_at: number | null;
    /** Reason, if the service paused it. */
    pause_reason: string | null;
    removed_at: number | null;
    /** No request is sent before this time. */
    next_at: number;
    /** Number of failed attempts since the last success. */
    failures: number;
    problem: string | null;
  };
  webhooks: {
    id: string;
    workspace_id: string;
    name: string;
    /** Encrypted, because addresses of chat rooms are secrets. */
    sealed_url: string;
    sealed_secret: string | null;
    type: string;
    events: string;
    enabled: number;
    created_at: number;
    /** Also signs until `old_secret_until`. */
    sealed_old_secret: string | null;
    old_secret_until: number | null;
    /** `off` or `weekly`. */
    digest: string;
    /** Reason, if the service disabled it. */
    disable_reason: string | null;
    failing_since: number | null;
    /** Number of failed attempts since the last success. */
    failures: number;
    /** No delivery is sent before this time. */
    next_at: number;
    /** The runner that sends its deliveries, and the end of its claim. */
    claimed_by: string | null;
    claimed_until: number;
  };
  deliveries: {
    id: string;
    workspace_id: string;
    webhook_id: string;
    /** Lets receivers recognize a repeated message. */
    message_id: string;
    round: number;
    kind: string;
    alert_id: string | null;
    /** JSON of a notice that is not about an alert. */
    content: string | null;
    state: string;
    attempts: number;
    next_at: number;
    created_at: number;
    ended_at: number | null;
  };
  delivery_attempts: {
    delivery_id: string;
    number: number;
    at: number;
    ms: number;
    status: number | null;
    error: string | null;
    request: string;
    response: string | null;
  };
  jobs: { name: string; claimed_by: string; claimed_until: number; ran_at: number | null };
  nodes: {
    /** Id of its journal. */
    id: string;
    name: string;
    version: string;
    started_at: number;
    seen_at: number;
    /** null = it runs, or it died. */
    stopped_at: number | null;
    unshipped_calls: number;
    lag_ms: number;
  };
  /** Nodes that may have calls of before a limit that they don't count under it yet. */
  pending_backfills: { counter: number; node: string };
  detection: { workspace_id: string; sensitivity: string; minimum: number };
  /** JSON list of open detection episodes. */
  episodes: { workspace_id: string; known: string };
  observed_outcomes: {
    workspace_id: string;
    /** '' = the sum of old series. */
    series: string;
    day: number;
    token_id: string;
    assistant: string;
    /** null = not known. */
    session: string | null;
    kind: string;
    /** Highest count of the series on its day. */
    amount: number;
  };
  mutes: {
    id: string;
    workspace_id: string;
    /** null = every type. */
    type: string | null;
    /** JSON that an alert's scope must contain. */
    scope: string;
    until: number | null;
    reason: string;
    created_at: number;
  };
  saved_views: {
    id: string;
    workspace_id: string;
    name: string;
    /** Path and search parameters of a page. */
    address: string;
    created_at: number;
  };
  call_problems: {
    call_id: string;
    workspace_id: string;
    problem: string;
    /** Failed questions in a row. */
    asks: number;
    asked_at: number;
    /** null = the provider is not asked again. */
    due_at: number | null;
  };
  custom_prices: {
    id: string;
    workspace_id: string;
    provider: string;
    model: string;
    valid_from: number | null;
    card: string;
    created_at: number;
  };
  price_cards: { version: string; card: string };
  /** `contract` is the JSON of a `NewContract`. */
  contracts: { id: string; workspace_id: string; contract: string; created_at: number };
  /** `line` is the JSON of a `NewBillLine` without its workspace. */
  bill_lines: { id: string; workspace_id: string; line: string; created_at: number };
  alerts: {
    id: string;
    workspace_id: string;
    episode: string;
    type: string;
    severity: string;
    title: string;
    message: string;
    scope: string;
    value: number | null;
    threshold: number | null;
    evidence: string;
    created_at: number;
    read_at: number | null;
    period_start: number | null;
    period_end: number | null;
    resolved_at: number | null;
  };
  subscriptions: {
    id: string;
    workspace_id: string;
    name: string;
    provider: string;
    plan: string;
    /** nano-USD per seat. */
    monthly_cost: number;
    seats: number;
    started_on: string;
    ended_on: string | null;
    /** JSON list of ids. */
    token_ids: string;
    created_at: number;
  };
  settings: { name: string; value: string };
  audit: {
    seq: number;
    at: number;
    workspace_id: string | null;
    actor: string;
    action: string;
    subject: string;
    before: string | null;
    after: string | null;
    prev_hash: string;
    hash: string;
  };
}

/** A connection, in a transaction or not. */
export type RecordDb = Kysely<RecordTables>;
export type RecordTransaction = Transaction<RecordTables>;
