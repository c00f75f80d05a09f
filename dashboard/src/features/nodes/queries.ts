import type { UseQueryResult } from '@tanstack/react-query';
import type { NodeList } from '../../../../src/contract/installation.ts';
import { useRead } from '../../shared/api/use-api.ts';

const READ_EVERY_MS = 10_000;

/** Reads the nodes on the database, again and again. */
export function useNodes(): UseQueryResult<NodeList> {
  return useRead('GET /api/manage/nodes', { everyMs: READ_EVERY_MS });
}
