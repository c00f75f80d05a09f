import type { UseQueryResult } from '@tanstack/react-query';
import type { DigestShape } from '../../../../src/contract/webhooks.ts';
import { useRead } from '../../shared/api/use-read.ts';

/** The digest of the last week that is over. */
export function useDigest(): UseQueryResult<DigestShape> {
  return useRead<DigestShape>('/api/mcp/digest');
}
