import { useQueryClient, type UseMutationResult } from '@tanstack/react-query';
import type { WebhookShape } from '../../../../src/contract/webhooks.ts';
import { errorText } from '../../shared/api/api-error.ts';
import { request } from '../../shared/api/request.ts';
import { useSingleFlightMutation } from '../../shared/api/use-deed.ts';
import { useWorkspace } from '../../shared/session/session.ts';
import { webhookPath } from './use-webhook.ts';
import { WEBHOOKS_PATH } from './use-webhooks.ts';

interface NewWebhook {
  readonly body: Readonly<Record<string, unknown>>;
  /** A secret is made for it, with which everything that is sent is signed. */
  readonly sign: boolean;
}

export interface NewWebhookResult extends WebhookShape {
  /** Shown once; null = none was made. */
  readonly secret: string | null;
  /** The webhook is there, but no secret could be made, for this reason. */
  readonly secretProblem: string | null;
}

export function useCreateWebhook(): UseMutationResult<NewWebhookResult, Error, NewWebhook> {
  const { id: workspaceId } = useWorkspace();
  const client = useQueryClient();
  return useSingleFlightMutation({
    mutationFn: async ({ body, sign }) => {
      const made = await request<WebhookShape>({ method: 'POST', path: WEBHOOKS_PATH, body, workspaceId });
      if (!sign) return { ...made, secret: null, secretProblem: null };
      const path = `${webhookPath(made.id)}/secret`;
      return await request<{ secret: string }>({ method: 'POST', path, workspaceId }).then(
        ({ secret }) => ({ ...made, secret, secretProblem: null }),
        (error: unknown) => ({ ...made, secret: null, secretProblem: errorText(error) }),
      );
    },
    onSettled: () =>
      client.invalidateQueries({
        predicate: ({ queryKey: [workspace, path] }) =>
          workspace === workspaceId && String(path).startsWith(WEBHOOKS_PATH),
      }),
  });
}
