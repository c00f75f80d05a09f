import type { UseMutationResult, UseQueryResult } from '@tanstack/react-query';
import type { NodeList } from '../../../../src/contract/installation.ts';
import { useChange, useRead } from '../../shared/api/use-api.ts';

const READ_EVERY_MS = 10_000;

/** Reads the nodes on the database, again and again. */
export function useNodes(): UseQueryResult<NodeList> {
  return useRead('GET /api/manage/nodes', { everyMs: READ_EVERY_MS });
}

/** Forgets a node that never comes back. */
export function useForgetNode(id: string): UseMutationResult<unknown, Error, 'count' | 'free'> {
  return useChange('POST /api/manage/nodes/{id}/forget', (uncertain) => ({ params: { id }, body: { uncertain } }), [
    '/api/manage/nodes',
  ]);
}
