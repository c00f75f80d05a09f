import type { Alert } from '../domain/alerts/alert.ts';
import { TollbookError } from '../domain/errors.ts';
import { toIso } from '../domain/time/period.ts';
import { HOUR_MS } from '../domain/time/units.ts';
import type { SeriesFilter, UsageQueries } from '../storage/usage-queries.ts';
import { formatCount } from '../domain/text/counts.ts';

const TOO_MANY_REQUESTS = 429;
/** Minimum number of refused calls in an hour, and minimum share of all calls to the provider, for an alert. */
const REFUSED_LEAST = 10;
const REFUSED_PART = 0.01;
/** Maximum of calls to read for the breakdown by key. */
const ENTRIES_MAX = 200_000;
const KEYS_MAX = 20;

export interface RefusedCalls {
  readonly provider: string;
  /** null = no breakdown: no key has enough of them, or there are too many calls. */
  readonly keyId: string | null;
  /** Start of the UTC hour. */
  readonly hour: number;
  readonly refused: number;
  /** All calls to the provider in that hour. */
  readonly calls: number;
}

/** Returns providers that refused many calls with 429 in this hour or the previous one, newest first. */
export async function findRefusedCalls(
  reports: Pick<UsageQueries, 'series'>,
  workspaceId: string,
  now: number,
): Promise<RefusedCalls[]> {
  const hour = Math.floor(now / HOUR_MS) * HOUR_MS;
  const found: RefusedCalls[] = [];
  for (const start of [hour, hour - HOUR_MS]) {
    const count = (by: 'provider' | 'key', filter: SeriesFilter): Promise<Map<string, number>> =>
      countCalls(reports, workspaceId, start, by, filter);
    const refused = await count('provider', { status: TOO_MANY_REQUESTS });
    if (refused.size === 0) continue;
    const all = await count('provider', {});
    for (const [provider, number] of refused) {
      const calls = all.get(provider) ?? number;
      if (number < REFUSED_LEAST || number < REFUSED_PART * calls) continue;
      const keys = await count('key', { provider, status: TOO_MANY_REQUESTS }).catch(noneIfTooMany);
      const most = [...keys].filter(([, of]) => of >= REFUSED_LEAST).toSorted(([, a], [, b]) => b - a);
      const parts = most.length === 0 ? [[null, number] as const] : most.slice(0, KEYS_MAX);
      for (const [keyId, of] of parts) found.push({ provider, keyId, hour: start, refused: of, calls });
    }
  }
  return found;
}

async function countCalls(
  reports: Pick<UsageQueries, 'series'>,
  workspaceId: string,
  start: number,
  by: 'provider' | 'key',
  filter: SeriesFilter,
): Promise<Map<string, number>> {
  const range = { start, end: start + HOUR_MS };
  const rows = await reports.series(workspaceId, { range, buckets: [start], by, filter, entriesMax: ENTRIES_MAX });
  return new Map(rows.flatMap(({ value, totals }) => (value === null ? [] : [[value, totals.calls]])));
}

function noneIfTooMany(error: unknown): Map<string, number> {
  if (error instanceof TollbookError && error.type === 'unprocessable') return new Map();
  throw error;
}

const SOURCE = 'provider_429';

/** Builds the alert. Its episode starts with the first hour in which this was seen. */
export function refusedAlert(workspaceId: string, refusedIn: RefusedCalls, now: number): Alert {
  const { provider, keyId, hour, refused, calls } = refusedIn;
  const whose = keyId === null ? '' : ` of key ${keyId}`;
  const times = refused === 1 ? 'call' : 'calls';
  return {
    type: 'RATE_LIMIT',
    severity: 'warning',
    workspaceId,
    title: `Calls refused by ${provider}${keyId === null ? '' : `: key ${keyId}`}`,
    message: `${provider} refused ${formatCount(refused)} ${times}${whose} with 429 since ${toIso(hour).slice(11, 16)} UTC, of ${formatCount(calls)} calls to it in that hour: its rate limit is reached. Calls can wait, be spread over time or over provider keys, or a higher limit can be asked for.`,
    episode: `${episodeStart({ provider, keyId })}${toIso(hour).slice(0, 13)}`,
    createdAt: now,
    scope: { provider, ...(keyId !== null && { key: keyId }) },
    value: refused,
    threshold: REFUSED_LEAST,
    period: null,
    evidence: { source: SOURCE, unit: 'calls', hour: toIso(hour), calls },
  };
}

/** Returns true for the alert about this provider and key. */
export function isAlertFor(
  { episode }: Pick<Alert, 'episode'>,
  refusedIn: Pick<RefusedCalls, 'provider' | 'keyId'>,
): boolean {
  return episode.startsWith(episodeStart(refusedIn));
}

export function isRefusedAlert({ evidence }: Pick<Alert, 'evidence'>): boolean {
  return evidence['source'] === SOURCE;
}

function episodeStart({ provider, keyId }: Pick<RefusedCalls, 'provider' | 'keyId'>): string {
  return `${SOURCE}:${provider}:${keyId ?? ''}:`;
}
