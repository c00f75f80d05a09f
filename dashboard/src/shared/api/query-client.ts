import { MutationCache, QueryCache, QueryClient, type QueryFilters } from '@tanstack/react-query';
import { ApiError } from './api-error.ts';

/** Data is fresh for this long unless a live event says otherwise. */
const FRESH_MS = 30_000;
const RETRIES_MAX = 2;

/** Creates the query client. @param onSignedOut called for every response with status 401 */
export function createQueryClient(onSignedOut: () => void): QueryClient {
  const onError = (error: Error): void => {
    if (error instanceof ApiError && error.status === 401) onSignedOut();
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: { queries: { staleTime: FRESH_MS, retry: mayRetry } },
  });
}

/** Retries only errors that may be temporary. */
function mayRetry(failures: number, error: Error): boolean {
  return failures < RETRIES_MAX && error instanceof ApiError && (error.status === 0 || error.status >= 500);
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
