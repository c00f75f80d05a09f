import { useQueryClient, type UseMutationResult } from '@tanstack/react-query';
import type { CreatedKey } from '../../../../src/contract/usage.ts';
import { errorText } from '../../shared/api/api-error.ts';
import { request } from '../../shared/api/request.ts';
import { useSingleFlightMutation } from '../../shared/api/use-deed.ts';
import { useWorkspace } from '../../shared/session/session.ts';

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
