import type { QueryClient, QueryFilters } from '@tanstack/react-query';

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
