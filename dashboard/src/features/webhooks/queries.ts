import { type UseMutationResult, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import type {
  DeliveryShape,
  DigestShape,
  WebhookDetailsShape,
  WebhookShape,
} from '../../../../src/contract/webhooks.ts';
import { errorText } from '../../shared/api/api-error.ts';
import { request } from '../../shared/api/request.ts';
import { useChange, useRead, useSingleFlightMutation } from '../../shared/api/use-api.ts';
import { useWorkspace } from '../../shared/session/session.ts';

const WEBHOOKS_PATH = '/api/mcp/webhooks';

export function useWebhooks(): UseQueryResult<readonly WebhookShape[]> {
  return useRead<readonly WebhookShape[]>(WEBHOOKS_PATH, { changedBy: ['alert'] });
}

/** Reads one webhook with the state of its deliveries. */
export function useWebhook(webhookId: string): UseQueryResult<WebhookDetailsShape> {
  return useRead<WebhookDetailsShape>(webhookPath(webhookId), { changedBy: ['alert'] });
}

function webhookPath(webhookId: string): string {
  return `${WEBHOOKS_PATH}/${encodeURIComponent(webhookId)}`;
}

interface NewWebhook {
  readonly body: Readonly<Record<string, unknown>>;
  /** Create a secret that signs all requests. */
  readonly sign: boolean;
}

export interface NewWebhookResult extends WebhookShape {
  /** Shown once; null = none. */
  readonly secret: string | null;
  /** Why no secret could be created, although the webhook was added. */
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

type WebhookChange = Readonly<Record<string, unknown>>;

export function useEditWebhook(webhookId: string): UseMutationResult<WebhookDetailsShape, Error, WebhookChange> {
  return useChange<WebhookChange, WebhookDetailsShape>(
    (body) => ({ method: 'PATCH', path: webhookPath(webhookId), body }),
    [WEBHOOKS_PATH],
  );
}

/** Deletes a webhook. @param webhook as shown: if it has changed since, the request fails */
export function useRemoveWebhook(webhook: WebhookDetailsShape): UseMutationResult<unknown, Error, void> {
  const { id, name, url, events, digest, enabled } = webhook;
  return useChange<void>(
    () => ({ method: 'DELETE', path: webhookPath(id), body: { seen: { name, url, events, digest, enabled } } }),
    [WEBHOOKS_PATH],
  );
}

interface NewSecretRequest {
  /** undefined = create one. */
  readonly secret: string | undefined;
  readonly dropOld: boolean;
}

interface CreatedSecret {
  /** Shown once. */
  readonly secret: string;
  readonly oldSecretUntil: string | null;
}

export function useReplaceSecret(webhookId: string): UseMutationResult<CreatedSecret, Error, NewSecretRequest> {
  const path = webhookPath(webhookId);
  return useChange<NewSecretRequest, CreatedSecret>((body) => ({ path: `${path}/secret`, body }), [path]);
}

export function useTestWebhook(webhookId: string): UseMutationResult<DeliveryShape, Error, void> {
  const path = webhookPath(webhookId);
  return useChange<void, DeliveryShape>(() => ({ path: `${path}/test` }), [path]);
}

interface DeliveriesPage {
  readonly deliveries: readonly DeliveryShape[];
  readonly nextCursor: string | null;
}

/** Deliveries send no live event. */
const DELIVERIES_POLL_MS = 5_000;

/** Reads one page of deliveries with their attempts, newest first. */
export function useDeliveries(webhookId: string, before: string | undefined): UseQueryResult<DeliveriesPage> {
  return useRead<DeliveriesPage>(`${webhookPath(webhookId)}/deliveries`, {
    query: { cursor: before },
    changedBy: ['alert'],
    everyMs: DELIVERIES_POLL_MS,
  });
}

/** Resends one delivery with the same message ID. */
export function useReplayDelivery(webhookId: string): UseMutationResult<unknown, Error, string> {
  const path = webhookPath(webhookId);
  return useChange<string>((id) => ({ path: `${path}/deliveries/${encodeURIComponent(id)}/replay` }), [path]);
}

interface ReplayRequest {
  /** ISO 8601, the end exclusive. */
  readonly startDate: string;
  readonly endDate: string;
  /** Include successful deliveries. */
  readonly all: boolean;
}

interface ReplayResult {
  /** Number of queued deliveries. */
  readonly deliveries: number;
}

export function useReplayPeriod(webhookId: string): UseMutationResult<ReplayResult, Error, ReplayRequest> {
  const path = webhookPath(webhookId);
  return useChange<ReplayRequest, ReplayResult>((body) => ({ path: `${path}/replay`, body }), [path]);
}

/** Reads the digest of the last full week. */
export function useDigest(): UseQueryResult<DigestShape> {
  return useRead<DigestShape>('/api/mcp/digest');
}
