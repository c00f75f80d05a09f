import type { UseMutationResult, UseQueryResult } from '@tanstack/react-query';
import type {
  DeliveryShape,
  DigestShape,
  WebhookDetailsShape,
  WebhookShape,
} from '../../../../src/contract/webhooks.ts';
import type { RouteRequest } from '../../../../src/contract/routes.ts';
import { errorText } from '../../shared/api/api-error.ts';
import { buildPath, request } from '../../shared/api/request.ts';
import { useChange, useRead, useRefetch, useSingleFlightMutation } from '../../shared/api/use-api.ts';
import { useWorkspace } from '../../shared/session/session.ts';
import type { NewWebhook } from './read-webhook.ts';

const WEBHOOKS_PATH = '/api/mcp/webhooks';

export function useWebhooks(): UseQueryResult<readonly WebhookShape[]> {
  return useRead('GET /api/mcp/webhooks', { changedBy: ['alert'] });
}

/** Reads one webhook with the state of its deliveries. */
export function useWebhook(webhookId: string): UseQueryResult<WebhookDetailsShape> {
  return useRead('GET /api/mcp/webhooks/{id}', { params: { id: webhookId }, changedBy: ['alert'] });
}

function webhookPath(webhookId: string): string {
  return buildPath('GET /api/mcp/webhooks/{id}', { id: webhookId });
}

interface WebhookCreation {
  readonly body: NewWebhook;
  /** Create a secret that signs all requests. */
  readonly sign: boolean;
}

export interface NewWebhookResult extends WebhookShape {
  /** Shown once; null = none. */
  readonly secret: string | null;
  /** Why no secret could be created, although the webhook was added. */
  readonly secretProblem: string | null;
}

export function useCreateWebhook(): UseMutationResult<NewWebhookResult, Error, WebhookCreation> {
  const { id: workspaceId } = useWorkspace();
  return useSingleFlightMutation({
    mutationFn: async ({ body, sign }) => {
      const made = await request({ route: 'POST /api/mcp/webhooks', body, workspaceId });
      if (!sign) return { ...made, secret: null, secretProblem: null };
      const route = 'POST /api/mcp/webhooks/{id}/secret';
      return await request({ route, params: { id: made.id }, body: {}, workspaceId }).then(
        ({ secret }) => ({ ...made, secret, secretProblem: null }),
        (error: unknown) => ({ ...made, secret: null, secretProblem: errorText(error) }),
      );
    },
    onSettled: useRefetch([WEBHOOKS_PATH]),
  });
}

type WebhookChange = NonNullable<RouteRequest<'PATCH /api/mcp/webhooks/{id}'>['body']>;

/** Changes a webhook. @param webhook as shown: if it has changed since, the request fails */
export function useEditWebhook({
  id,
  etag,
}: WebhookDetailsShape): UseMutationResult<WebhookDetailsShape, Error, WebhookChange> {
  return useChange('PATCH /api/mcp/webhooks/{id}', (body: WebhookChange) => ({ params: { id }, body, ifMatch: etag }), [
    WEBHOOKS_PATH,
  ]);
}

/** Deletes a webhook. @param webhook as shown: if it has changed since, the request fails */
export function useRemoveWebhook({ id, etag }: WebhookDetailsShape): UseMutationResult<unknown, Error, void> {
  return useChange('DELETE /api/mcp/webhooks/{id}', () => ({ params: { id }, ifMatch: etag }), [WEBHOOKS_PATH]);
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

/** Replaces the secret. @param webhook as shown: if it has changed since, the request fails */
export function useReplaceSecret({
  id,
  etag,
}: WebhookDetailsShape): UseMutationResult<CreatedSecret, Error, NewSecretRequest> {
  return useChange(
    'POST /api/mcp/webhooks/{id}/secret',
    (body: NewSecretRequest) => ({ params: { id }, body, ifMatch: etag }),
    [webhookPath(id)],
  );
}

export function useTestWebhook(webhookId: string): UseMutationResult<DeliveryShape, Error, void> {
  return useChange('POST /api/mcp/webhooks/{id}/test', () => ({ params: { id: webhookId } }), [webhookPath(webhookId)]);
}

interface DeliveriesPage {
  readonly deliveries: readonly DeliveryShape[];
  readonly nextCursor: string | null;
}

/** Deliveries send no live event. */
const DELIVERIES_POLL_MS = 5_000;

/** Reads one page of deliveries with their attempts, newest first. */
export function useDeliveries(webhookId: string, before: string | undefined): UseQueryResult<DeliveriesPage> {
  return useRead('GET /api/mcp/webhooks/{id}/deliveries', {
    params: { id: webhookId },
    query: { cursor: before },
    changedBy: ['alert'],
    everyMs: DELIVERIES_POLL_MS,
  });
}

/** Resends one delivery with the same message ID. */
export function useReplayDelivery(webhookId: string): UseMutationResult<unknown, Error, string> {
  return useChange(
    'POST /api/mcp/webhooks/{id}/deliveries/{delivery}/replay',
    (delivery: string) => ({ params: { id: webhookId, delivery } }),
    [webhookPath(webhookId)],
  );
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
  return useChange(
    'POST /api/mcp/webhooks/{id}/replay',
    (body: ReplayRequest) => ({ params: { id: webhookId }, body }),
    [webhookPath(webhookId)],
  );
}

/** Reads the digest of the last full week. */
export function useDigest(): UseQueryResult<DigestShape> {
  return useRead('GET /api/mcp/digest');
}
