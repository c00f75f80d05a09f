import type { Kysely, Transaction } from 'kysely';

/**
 * The record tables as columns. Portable: epoch-ms integers, JSON as text, booleans as 0 and 1, so that another
 * engine can hold them with the same code.
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
    /** Sealed under `id`; null once no wrapped key stands for it. */
    sealed: string | null;
    fingerprint: string | null;
    last_four: string | null;
    set_at: number;
  };
  /** Provider keys that were replaced or erased. */
  former_provider_keys: {
    id: string;
    provider_key_id: string;
    /** JSON of what it begins and ends with, sealed under `id`; null = nothing was kept. */
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
    /** JSON; null = what everybody may do. */
    policy: string | null;
    /** The actor; null = it was made before that was kept. */
    created_by: string | null;
  };
  limits: {
    id: string;
    /** Never given twice. */
    counter: number;
    workspace_id: string;
    /** Of the scope. */
    kind: string;
    /** JSON, always in the same order of fields: equal scopes are equal texts. */
    scope: string;
    unit: string;
    amount: number;
    raise: string | null;
    window: string;
    action: string;
    thresholds: string;
    uncertain: string;
    label: string | null;
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
    /** The actor; null = it was made before that was kept. */
    created_by: string | null;
  };
  /** Times of the tables of users are ISO 8601 texts, as the library that signs in writes them. */
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
    /** Hashed by the library that signs in. */
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
    /** Opens nothing by itself: the cookie holds it signed. */
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
    /** Sealed under `id`; null once it is removed. */
    sealed: string | null;
    fingerprint: string;
    last_four: string;
    organization_id: string | null;
    organization_name: string | null;
    created_at: number;
    paused_at: number | null;
    /** A sentence, where the service paused it. */
    pause_reason: string | null;
    removed_at: number | null;
    /** Nothing is asked before. */
    next_at: number;
    /** Attempts that failed since the last that did not. */
    failures: number;
    problem: string | null;
  };
  webhooks: {
    id: string;
    workspace_id: string;
    name: string;
    /** Sealed: the addresses of chat rooms are secrets themselves. */
    sealed_url: string;
    sealed_secret: string | null;
    type: string;
    events: string;
    enabled: number;
    created_at: number;
    /** Signs too until `old_secret_until`. */
    sealed_old_secret: string | null;
    old_secret_until: number | null;
    /** `off` or `weekly`. */
    digest: string;
    /** A sentence, where the service disabled it. */
    disable_reason: string | null;
    failing_since: number | null;
    /** Attempts that failed since the last that did not. */
    failures: number;
    /** Nothing is sent before. */
    next_at: number;
    /** Who sends its deliveries, and until when nobody else may. */
    claimed_by: string | null;
    claimed_until: number;
  };
  deliveries: {
    id: string;
    workspace_id: string;
    webhook_id: string;
    /** What receivers know a repetition by. */
    message_id: string;
    round: number;
    kind: string;
    alert_id: string | null;
    /** JSON of a notice that is not of an alert. */
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
  detection: { workspace_id: string; sensitivity: string; minimum: number };
  /** JSON list of what detection has under way. */
  episodes: { workspace_id: string; known: string };
  mutes: {
    id: string;
    workspace_id: string;
    /** null = of every type. */
    type: string | null;
    /** JSON: what an alert's scope must hold. */
    scope: string;
    until: number | null;
    reason: string;
    created_at: number;
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
    /** nano-USD, for each seat. */
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
