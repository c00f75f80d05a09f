import type { UseMutationResult, UseQueryResult } from '@tanstack/react-query';
import type {
  KeyClients,
  WrappedKeyDetail,
  CreatedKey,
  ReplacedKey,
  WrappedKeyShape,
} from '../../../../src/contract/keys.ts';
import type { KeyPolicyShape, LimitShape, WrittenPolicyShape } from '../../../../src/contract/limits.ts';
import type { EntryShape } from '../../../../src/contract/entries.ts';
import { ApiError, errorText } from '../../shared/api/api-error.ts';
import { request } from '../../shared/api/request.ts';
import { useRef } from 'react';
import { useChange, useRead, useRefetch, useSingleFlightMutation } from '../../shared/api/use-api.ts';
import { LIMITS_PATH } from '../../shared/limits/use-limits.ts';
import { useWorkspace } from '../../shared/session/session.ts';
import type { BudgetChange, KeyBudgets, TypedBudgets } from './key-budgets.ts';

/** Reads all wrapped keys, newest first, including revoked ones. */
export function useKeys(): UseQueryResult<readonly WrappedKeyShape[]> {
  return useRead('GET /api/manage/keys');
}

/** Polling interval for browsers that get no live events. */
const KEY_POLL_MS = 5_000;

/** Reads one wrapped key with its first and last use. */
export function useKey(keyId: string): UseQueryResult<WrappedKeyDetail> {
  return useRead('GET /api/manage/keys/{id}', {
    params: { id: keyId },
    changedBy: ['recorded'],
    everyMs: KEY_POLL_MS,
  });
}

/** Reads the setup lines for every client of the key's provider, with a placeholder for the key. */
export function useClientLines(keyId: string): UseQueryResult<KeyClients> {
  return useRead('GET /api/manage/keys/{id}/clients', { params: { id: keyId } });
}

/**
 * Returns the newest call of a key; null = none yet. It reads only the entries since the last use that the key
 * states.
 */
export function useLastCall(keyId: string): EntryShape | null {
  const { data: key } = useKey(keyId);
  const startDate = key?.lastCallAt ?? undefined;
  const { data } = useRead('GET /api/mcp/entries', {
    query: { keyId, startDate, limit: 1 },
    enabled: startDate !== undefined,
  });
  return (startDate !== undefined && data?.entries[0]) || null;
}

export interface NewKey {
  readonly name: string;
  readonly provider: string;
  readonly providerKey: string | undefined;
  readonly providerKeyOf: string | undefined;
  readonly credential: 'subscription' | undefined;
  readonly tags: Readonly<Record<string, string>>;
  /** ISO 8601; null = never expires. */
  readonly expiresAt: string | null;
  readonly budgets: TypedBudgets;
  readonly force: boolean;
}

/** Policy of the new key; null = no restrictions. */
export type NewRules = WrittenPolicyShape | null;

export interface NewKeyResult extends CreatedKey {
  /** Why the policy could not be set, although the key was created. */
  readonly rulesProblem: string | null;
}

/** Creates a wrapped key, then sets its policy. If the policy is refused, the result has the key and the reason. */
export function useCreateKey(): UseMutationResult<NewKeyResult, Error, { key: NewKey; rules: NewRules }> {
  const { id: workspaceId } = useWorkspace();
  return useSingleFlightMutation({
    mutationFn: async ({ key, rules }) => {
      const made = await request({ route: 'POST /api/manage/keys', body: key, workspaceId });
      if (rules === null) return { ...made, rulesProblem: null };
      const setRules = { route: 'PUT /api/manage/policies/{keyId}', body: rules, workspaceId } as const;
      const rulesProblem = await request({ ...setRules, params: { keyId: made.id } }).then(() => null, errorText);
      return { ...made, rulesProblem };
    },
    onSettled: useRefetch(['/api/manage/keys', '/api/manage/policies', LIMITS_PATH]),
  });
}

type KeyChange = Partial<Pick<WrappedKeyShape, 'name' | 'tags' | 'expiresAt'>>;

/** Changes a key. @param key as shown: if it has changed since, the request fails */
export function useEditKey({ id, etag }: WrappedKeyShape): UseMutationResult<WrappedKeyShape, Error, KeyChange> {
  return useChange('PATCH /api/manage/keys/{id}', (body: KeyChange) => ({ params: { id }, body, ifMatch: etag }), [
    '/api/manage/keys',
    '/api/manage/policies',
  ]);
}

interface ProviderKeyReplacement {
  readonly providerKey: string;
  readonly force: boolean;
}

/** Replaces the provider key of a key. @param key as shown: if it has changed since, the request fails */
export function useReplaceProviderKey({
  id,
  etag,
}: WrappedKeyShape): UseMutationResult<ReplacedKey, Error, ProviderKeyReplacement> {
  return useChange(
    'POST /api/manage/keys/{id}/provider-key',
    (body: ProviderKeyReplacement) => ({ params: { id }, body, ifMatch: etag }),
    ['/api/manage/keys'],
  );
}

/** Revokes a key, even if it has changed since it was shown. */
export function useRevokeKey(keyId: string): UseMutationResult<WrappedKeyShape, Error, void> {
  return useChange('DELETE /api/manage/keys/{id}', () => ({ params: { id: keyId } }), [
    '/api/manage/keys',
    '/api/manage/policies',
    '/api/manage/limits',
  ]);
}

export function usePolicy(keyId: string): UseQueryResult<KeyPolicyShape> {
  return useRead('GET /api/manage/policies/{keyId}', { params: { keyId } });
}

/** Replaces the policy of a key. @param policy as shown: if it has changed since, the request fails */
export function useSetPolicy({
  keyId,
  etag,
}: KeyPolicyShape): UseMutationResult<KeyPolicyShape, Error, WrittenPolicyShape> {
  return useChange(
    'PUT /api/manage/policies/{keyId}',
    (body: WrittenPolicyShape) => ({ params: { keyId }, body, ifMatch: etag }),
    ['/api/manage/policies'],
  );
}

/** Sets and removes budgets of a key. @param before as shown: if one has changed since, its change fails */
export function useSetBudgets(
  keyId: string,
  before: KeyBudgets,
): UseMutationResult<void, Error, readonly BudgetChange[]> {
  const { id: workspaceId } = useWorkspace();
  // After an error, the next attempt begins with the changes that were saved.
  const saved = useRef(before);
  return useSingleFlightMutation({
    mutationFn: async (changes) => {
      for (const change of changes) {
        const limit = await saveBudget(keyId, change, saved.current[change.part], workspaceId);
        saved.current = { ...saved.current, [change.part]: limit };
      }
    },
    onSettled: useRefetch([LIMITS_PATH]),
  });
}

async function saveBudget(
  keyId: string,
  { part, field, amount }: BudgetChange,
  before: LimitShape | undefined,
  workspaceId: string,
): Promise<LimitShape | undefined> {
  const ifMatch = before && { ifMatch: before.etag };
  if (amount !== null) {
    const scope = { kind: 'each', of: part, keyId } as const;
    const body = { scope, unit: 'usd', amount, window: 'total', action: 'block' } as const;
    const route = 'PUT /api/manage/limits';
    return await request({ route, body, ...ifMatch, workspaceId }).catch((error: unknown) => {
      throw error instanceof ApiError && error.param === 'amount' ? error.at(field) : error;
    });
  }
  if (before) {
    const route = 'DELETE /api/manage/limits/{id}';
    await request({ route, params: { id: before.id }, ...ifMatch, workspaceId });
  }
  return undefined;
}
