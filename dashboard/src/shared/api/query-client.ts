import { MutationCache, QueryCache, QueryClient, type QueryFilters } from '@tanstack/react-query';
import { ApiError } from './api-error.ts';

/** Data is fresh for this long unless a live event says otherwise. */
const FRESH_MS = 30_000;
const RETRIES_MAX = 2;
/** Interval at which data is fetched that could not be read because the service or its database is away. */
const AWAY_MS = 10_000;
/** No response; and those of the service and of a proxy before it, when they can't answer now. */
const AWAY_STATUSES: ReadonlySet<number> = new Set([0, 502, 503, 504]);

/** Creates the query client. @param onSignedOut called for every response with status 401 */
export function createQueryClient(onSignedOut: () => void): QueryClient {
  const onError = (error: Error): void => {
    if (error instanceof ApiError && error.status === 401) onSignedOut();
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: { queries: { staleTime: FRESH_MS, retry: mayRetry, refetchInterval: pollEvery(0) } },
  });
}

/** Retries only errors that may be temporary. */
function mayRetry(failures: number, error: Error): boolean {
  return failures < RETRIES_MAX && error instanceof ApiError && (error.status === 0 || error.status >= 500);
}

interface QueryWithError {
  readonly state: { readonly error: Error | null };
}

/** Returns the interval of fetches: `ms`, or another one while the service is away; 0 = none. */
export function pollEvery(ms: number): (query: QueryWithError) => number | false {
  return ({ state: { error } }) => {
    const isAway: boolean = error instanceof ApiError && AWAY_STATUSES.has(error.status);
    return isAway ? AWAY_MS : ms > 0 && ms;
  };
}

/**
 * Refetches queries that may be stale. A running fetch is awaited and then repeated: it may have started before the
 * event, and cancelling it at every event would keep a slow page empty forever.
 */
export async function refetchStale(client: QueryClient, { predicate, refetchType }: RefetchFilters): Promise<void> {
  const underWay = new Set(client.getQueryCache().findAll({ predicate, fetchStatus: 'fetching' }));
  await client.invalidateQueries({ predicate, refetchType }, JOIN_RUNNING_FETCH);
  if (underWay.size === 0) return;
  await client.invalidateQueries({ predicate: (query) => underWay.has(query), refetchType }, JOIN_RUNNING_FETCH);
}

interface RefetchFilters {
  readonly predicate: NonNullable<QueryFilters['predicate']>;
  readonly refetchType: 'active' | 'none';
}

const JOIN_RUNNING_FETCH = { cancelRefetch: false };

/**
 * Runs a function when no mutation is running, and returns a function that cancels it. A new password replaces the
 * session: reading the account in between would find no user.
 */
export function afterMutations(client: QueryClient, act: () => void): () => void {
  if (client.isMutating() === 0) {
    act();
    return () => undefined;
  }
  const leave = client.getMutationCache().subscribe(() => {
    if (client.isMutating() > 0) return;
    leave();
    act();
  });
  return leave;
}
