import { type UseMutationResult, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import type { KeyClients, WrappedKeyDetail } from '../../../../src/contract/keys.ts';
import type { KeyPolicyShape, PolicyShape } from '../../../../src/contract/limits.ts';
import type {
  CreatedKey,
  EntriesPage,
  EntryShape,
  ReplacedKey,
  WrappedKeyShape,
} from '../../../../src/contract/usage.ts';
import { errorText } from '../../shared/api/api-error.ts';
import { request } from '../../shared/api/request.ts';
import { useChange, useRead, useSingleFlightMutation } from '../../shared/api/use-api.ts';
import { useWorkspace } from '../../shared/session/session.ts';
import type { PolicyDraft } from './policy-rules.ts';

/** All wrapped keys, newest first, revoked ones too. */
export function useKeys(): UseQueryResult<readonly WrappedKeyShape[]> {
  return useRead<readonly WrappedKeyShape[]>('/api/manage/keys');
}

/** Where no live event comes through, a call is still seen this soon. */
const KEY_POLL_MS = 5_000;

/** One wrapped key, and when it was first and last used. */
export function useKey(keyId: string): UseQueryResult<WrappedKeyDetail> {
  return useRead<WrappedKeyDetail>(keyPath(keyId), { changedBy: ['booked'], everyMs: KEY_POLL_MS });
}

function keyPath(keyId: string): string {
  return `/api/manage/keys/${encodeURIComponent(keyId)}`;
}

/** Lines for every client of a key's provider, with a placeholder where the key belongs. */
export function useClientLines(keyId: string): UseQueryResult<KeyClients> {
  return useRead<KeyClients>(`${keyPath(keyId)}/clients`);
}

/**
 * The newest call of a key; null = none is known yet. The key says when it was used, so that the list of entries is
 * asked for no more than that time.
 */
export function useLastCall(keyId: string): EntryShape | null {
  const { data: key } = useKey(keyId);
  const startDate = key?.lastCallAt ?? undefined;
  const { data } = useRead<EntriesPage>('/api/mcp/entries', {
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
  readonly tags: Readonly<Record<string, string>>;
  /** ISO 8601; null = it works for good. */
  readonly expiresAt: string | null;
  readonly force: boolean;
}

/** Rules for the new key; null = it may do what its provider allows. */
export type NewRules = Readonly<Record<string, unknown>> | null;

export interface NewKeyResult extends CreatedKey {
  /** The key is there, but its rules were not taken, for this reason. */
  readonly rulesProblem: string | null;
}

/** Makes a wrapped key, then sets its rules. A key whose rules were refused is told with the reason, never lost. */
export function useCreateKey(): UseMutationResult<NewKeyResult, Error, { key: NewKey; rules: NewRules }> {
  const { id: workspaceId } = useWorkspace();
  const client = useQueryClient();
  return useSingleFlightMutation({
    mutationFn: async ({ key, rules }) => {
      const made = await request<CreatedKey>({ method: 'POST', path: '/api/manage/keys', body: key, workspaceId });
      const setRules = { method: 'PUT', path: `/api/manage/policies/${made.id}`, body: rules, workspaceId } as const;
      const problem = rules === null ? null : await request(setRules).then(() => null, errorText);
      return { ...made, rulesProblem: problem };
    },
    onSettled: () =>
      client.invalidateQueries({
        predicate: ({ queryKey: [workspace, path] }) =>
          workspace === workspaceId && /^\/api\/manage\/(keys|policies)/.test(String(path)),
      }),
  });
}

type KeyFields = Pick<WrappedKeyShape, 'name' | 'tags' | 'expiresAt'>;

interface KeyChange extends Partial<KeyFields> {
  /** As it was read: when it is another by now, nothing is changed. */
  readonly seen: KeyFields;
}

export function useEditKey(keyId: string): UseMutationResult<WrappedKeyShape, Error, KeyChange> {
  return useChange<KeyChange, WrappedKeyShape>(
    (change) => ({ method: 'PATCH', path: keyPath(keyId), body: change }),
    ['/api/manage/keys', '/api/manage/policies'],
  );
}

interface ProviderKeyReplacement {
  readonly providerKey: string;
  readonly force: boolean;
}

export function useReplaceProviderKey(keyId: string): UseMutationResult<ReplacedKey, Error, ProviderKeyReplacement> {
  return useChange<ProviderKeyReplacement, ReplacedKey>(
    (body) => ({ path: `${keyPath(keyId)}/provider-key`, body }),
    ['/api/manage/keys'],
  );
}

export function useRevokeKey(keyId: string): UseMutationResult<WrappedKeyShape, Error, void> {
  return useChange<void, WrappedKeyShape>(
    () => ({ method: 'DELETE', path: keyPath(keyId) }),
    ['/api/manage/keys', '/api/manage/policies', '/api/manage/limits'],
  );
}

export function usePolicy(keyId: string): UseQueryResult<KeyPolicyShape> {
  return useRead<KeyPolicyShape>(policyPath(keyId));
}

function policyPath(keyId: string): string {
  return `/api/manage/policies/${encodeURIComponent(keyId)}`;
}

interface RulesChange extends PolicyDraft {
  /** As they were read: when they are others by now, nothing is changed. */
  readonly seen: PolicyShape;
}

/** Sets all rules of a key at once. */
export function useSetPolicy(keyId: string): UseMutationResult<KeyPolicyShape, Error, RulesChange> {
  return useChange<RulesChange, KeyPolicyShape>(
    (rules) => ({ method: 'PUT', path: policyPath(keyId), body: rules }),
    ['/api/manage/policies'],
  );
}
