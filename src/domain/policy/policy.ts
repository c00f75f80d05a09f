/** An agent may be the main one, which has no name. */
export const REQUIRED_NAMES = ['session', 'run'] as const;
export type RequiredName = (typeof REQUIRED_NAMES)[number];

/** Rules of a wrapped key. Every field has a default that allows everything the provider allows. */
export interface Policy {
  /** Patterns (`*` = any characters), tried on all `modelSpellings` of the requested models; null = all. */
  readonly allowedModels: readonly string[] | null;
  readonly deniedModels: readonly string[];
  /** Largest output of a call, of all its answers together, in tokens; null = the model's own. */
  readonly maxOutputTokens: number | null;
  /** Tag keys a call must carry; values it may have, null = any. */
  readonly requiredTags: Readonly<Record<string, readonly string[] | null>>;
  /** Names that a call must carry. */
  readonly requiredNames: readonly RequiredName[];
  /** Sessions that calls may name in one hour; null = any number. */
  readonly maxSessionsPerHour: number | null;
  /** Addresses or ranges (CIDR) that calls may come from; null = any. */
  readonly allowedAddresses: readonly string[] | null;
  readonly activeHours: ActiveHours | null;
  /** A call that may need more than a limit has left: shorten it to what fits, or refuse it. */
  readonly whenOverLimit: 'refuse' | 'shorten';
  /** Output tokens below which a call is refused rather than shortened. */
  readonly minOutputTokens: number;
  /** nano-USD that unbounded work is presumed to cost at most; null = such a call is refused under a blocking limit. */
  readonly assumedCostUsd: number | null;
  /** Models without a price under a blocking usd limit. */
  readonly unpricedModels: 'refuse' | 'allow';
  /** Reaction to a client that disconnects: read on to learn the usage, or stop immediately. */
  readonly onDisconnect: 'drain' | 'abort';
  /** Geography the provider key is bound to (`us`, `global`); null = not known. */
  readonly geo: string | null;
  /** Service tier the provider key's project runs at when the request names none; null = not known. */
  readonly tier: string | null;
  readonly maxBodyBytes: number | null;
}

export interface ActiveHours {
  /** 0 = Sunday … 6 = Saturday. */
  readonly days: readonly number[];
  /** Minutes of the local day; `until` may be before `from`: over midnight. */
  readonly from: number;
  readonly until: number;
  /** IANA name. */
  readonly timeZone: string;
}

export const OPEN_POLICY: Policy = {
  allowedModels: null,
  deniedModels: [],
  maxOutputTokens: null,
  requiredTags: {},
  requiredNames: [],
  maxSessionsPerHour: null,
  allowedAddresses: null,
  activeHours: null,
  whenOverLimit: 'shorten',
  minOutputTokens: 4_096,
  assumedCostUsd: null,
  unpricedModels: 'refuse',
  onDisconnect: 'drain',
  geo: null,
  tier: null,
  maxBodyBytes: null,
};
