import { MutationCache, QueryCache, QueryClient, type QueryFilters } from '@tanstack/react-query';
import { ApiError } from './api-error.ts';

/** What was read stays fresh this long, if no live event says otherwise. */
const FRESH_MS = 30_000;
const RETRIES_MAX = 2;

/** @param onSignedOut the session is over: called for every answer with status 401 */
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

/** Only what may be otherwise a moment later is asked for again. */
function mayRetry(failures: number, error: Error): boolean {
  return failures < RETRIES_MAX && error instanceof ApiError && (error.status === 0 || error.status >= 500);
}

/**
 * Has the answers that may be old read anew. An answer that is under way is waited for and then asked for once more: it
 * may have been given before what happened, and calling it off at each event would let a slow page never show anything.
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
 * Does something once no change is under way. A new password ends the session, and brings another with its answer:
 * whoever asked in between who is signed in would hear that nobody is. Returns how to call it off.
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
