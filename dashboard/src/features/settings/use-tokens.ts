import type { UseMutationResult, UseQueryResult } from '@tanstack/react-query';
import type { ListedToken } from '../../../../src/contract/accounts.ts';
import type { AccessTokenShape, CreatedToken } from '../../../../src/contract/usage.ts';
import { useChange } from '../../shared/api/use-change.ts';
import { useRead } from '../../shared/api/use-read.ts';

export type TokenScope = AccessTokenShape['scopes'][number];

const CHANGED_BY_TOKENS = ['/api/manage/tokens', '/api/manage/audit'];

/** Those that one may see, revoked ones too. */
export function useTokens(): UseQueryResult<readonly ListedToken[]> {
  return useRead<readonly ListedToken[]>('/api/manage/tokens');
}

export interface NewToken {
  readonly name: string;
  readonly scopes: readonly TokenScope[];
  /** ISO instant; null = it works until it is revoked. */
  readonly expiresAt: string | null;
}

/** Its secret is shown once. */
export function useCreateToken(): UseMutationResult<CreatedToken, Error, NewToken> {
  return useChange<NewToken, CreatedToken>((body) => ({ path: '/api/manage/tokens', body }), CHANGED_BY_TOKENS);
}

export function useRevokeToken(id: string): UseMutationResult<AccessTokenShape, Error, void> {
  return useChange<void, AccessTokenShape>(
    () => ({ method: 'DELETE', path: `/api/manage/tokens/${encodeURIComponent(id)}` }),
    CHANGED_BY_TOKENS,
  );
}
