import { type LocalSource, readSourceModel, type SourceModel } from './local-call.ts';
import type { ServiceTerms, TokenCounts } from '../usage/usage.ts';
import { DAY_MS } from '../time/units.ts';

/**
 * Uploaded usage of one session and model in one UTC hour. All token classes are separate: `inputTokens` is uncached.
 * Fields outside the specification are optional, and numbers or words from a closed list.
 */
export interface SessionRecord extends RecordTokens {
  /** SHA-256 of `sessionText`, hex. */
  readonly sessionId: string;
  /** HMAC-SHA256 of the project's folder under a secret of the installation, hex. */
  readonly projectId: string;
  readonly model: string;
  /** ISO 8601: the first use within the hour. */
  readonly timestamp: string;
  readonly calls?: number | undefined;
  readonly webSearches?: number | undefined;
  /** Parts of the tokens above that are charged in another way, each part its own. */
  readonly shares?: readonly RecordShare[] | undefined;
  /** Pico-USD that rounding each call to nano-USD added, so that both sides compute the same cost. */
  readonly roundingPico?: number | undefined;
}

export interface RecordTokens {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheCreationTokens: number;
  /** The part of `cacheCreationTokens` that is kept for an hour. */
  readonly cacheCreation1hTokens?: number | undefined;
}

/** `other`: a word that no price list knows, so that these tokens have no price. */
export const SHARE_SPEEDS = ['fast', 'other'] as const;
export const SHARE_TIERS = ['batch', 'flex', 'priority', 'other'] as const;
export const SHARE_GEOS = ['us', 'other'] as const;

/** Tokens of the calls that were made on these terms, or with prompts of this length. */
export interface RecordShare extends RecordTokens {
  readonly speed?: (typeof SHARE_SPEEDS)[number] | undefined;
  readonly tier?: (typeof SHARE_TIERS)[number] | undefined;
  readonly geo?: (typeof SHARE_GEOS)[number] | undefined;
  /** A prompt length (tokens) of the same length tier as the calls'; absent = the shortest. */
  readonly promptTokens?: number | undefined;
  /** Number of the record's calls. */
  readonly calls?: number | undefined;
}

/** Room for the name of any model, none for a sentence, nor for the place of a file: `/home/…`, `./…`, `C:/…`. */
export const RECORD_MODEL = /^(?![./])(?!.*:\/)[\w.:@/()[\]+-]{1,128}$/;
/** Replaces a model name that does not fit. */
export const UNNAMED_MODEL = '(other)';

/** No assistant that is read here kept sessions before. */
const RECORD_EARLIEST = Date.UTC(2023, 0, 1);
/** Clocks of other machines may be a day ahead. */
const RECORD_AHEAD_MS = DAY_MS;

/** Epoch ms; a clock that was wrong by more makes no record. */
export function isRecordTime(at: number, now: number): boolean {
  return at >= RECORD_EARLIEST && at <= now + RECORD_AHEAD_MS;
}

/** Maximum records per request. */
export const RECORDS_MAX = 1_000;
export const SHARES_MAX = 100;
/** Maximum tokens of one class in one record. */
export const RECORD_TOKENS_MAX = 100_000_000_000;
export const RECORD_CALLS_MAX = 1_000_000_000;
/** A thousandth of a dollar: two million calls, all rounded the same way. */
export const ROUNDING_PICO_MAX = 1_000_000_000;

/** Tokens of one record that are charged alike. */
export interface RecordPart {
  readonly terms: ServiceTerms;
  /** Chooses the length tier. */
  readonly promptTokens: number;
  /** Only `PART_CLASSES`. */
  readonly tokens: TokenCounts;
  /** 0 = unknown. */
  readonly calls: number;
}

/** Classes that records separate. Anthropic's cache writes have a lifetime, others don't. */
export const PART_CLASSES = ['input', 'cacheRead', 'cacheWrite', 'cacheWrite5m', 'cacheWrite1h', 'output'] as const;

/** A record's tokens, each in one part; what is on no share is on the ordinary terms. */
export function recordParts(record: SessionRecord, source: LocalSource): RecordPart[] {
  const shares = record.shares ?? [];
  const writes = cacheWriteClass(readSourceModel(source, record.model));
  const rest = recordTokens(record, writes);
  for (const share of shares) {
    const tokens = recordTokens(share, writes);
    for (const name of PART_CLASSES) if (tokens[name]) rest[name] = (rest[name] ?? 0) - tokens[name];
  }
  const calls = (record.calls ?? 0) - shares.reduce((sum, share) => sum + (share.calls ?? 0), 0);
  return [
    { terms: { speed: null, tier: null, geo: null }, promptTokens: 0, tokens: rest, calls: Math.max(0, calls) },
    ...shares.map((share) => ({
      terms: { speed: share.speed ?? null, tier: share.tier ?? null, geo: share.geo ?? null },
      promptTokens: share.promptTokens ?? 0,
      tokens: recordTokens(share, writes),
      calls: share.calls ?? 0,
    })),
  ];
}

/** Returns the class of cache writes that are not known to last an hour. */
export function cacheWriteClass({ provider }: Pick<SourceModel, 'provider'>): 'cacheWrite5m' | 'cacheWrite' {
  return provider === 'anthropic' ? 'cacheWrite5m' : 'cacheWrite';
}

function recordTokens(counts: RecordTokens, writes: 'cacheWrite5m' | 'cacheWrite'): TokenCounts {
  const hour = counts.cacheCreation1hTokens ?? 0;
  return {
    input: counts.inputTokens,
    cacheRead: counts.cacheReadTokens,
    [writes]: counts.cacheCreationTokens - hour,
    cacheWrite1h: hour,
    output: counts.outputTokens,
  };
}

/**
 * Finds contradictory numbers in a record; null = none. The text continues a sentence that starts with the record's
 * name.
 */
export function recordFault(record: SessionRecord): string | null {
  const shares = record.shares ?? [];
  for (const counts of [record, ...shares])
    if ((counts.cacheCreation1hTokens ?? 0) > counts.cacheCreationTokens)
      return 'has more cacheCreation1hTokens than cacheCreationTokens';
  const of = (read: (counts: RecordTokens & { calls?: number | undefined }) => number | undefined): boolean =>
    shares.reduce((sum, share) => sum + (read(share) ?? 0), 0) > (read(record) ?? 0);
  if (of((counts) => counts.inputTokens)) return 'has more inputTokens in its shares than in all';
  if (of((counts) => counts.outputTokens)) return 'has more outputTokens in its shares than in all';
  if (of((counts) => counts.cacheReadTokens)) return 'has more cacheReadTokens in its shares than in all';
  if (of((counts) => counts.cacheCreationTokens)) return 'has more cacheCreationTokens in its shares than in all';
  if (of((counts) => counts.cacheCreation1hTokens)) return 'has more cacheCreation1hTokens in its shares than in all';
  if (of((counts) => counts.calls)) return 'has more calls in its shares than in all';
  const plain = (counts: RecordTokens): number => counts.cacheCreationTokens - (counts.cacheCreation1hTokens ?? 0);
  return of(plain) ? 'has more short cache writes in its shares than in all' : null;
}
