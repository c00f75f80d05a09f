import type { UseMutationResult } from '@tanstack/react-query';
import { useChange } from '../../shared/api/use-change.ts';
import { webhookPath } from './use-webhook.ts';

interface NewSecretRequest {
  /** undefined = one is made. */
  readonly secret: string | undefined;
  readonly dropOld: boolean;
}

interface CreatedSecret {
  /** Shown once. */
  readonly secret: string;
  readonly oldValidUntil: string | null;
}

export function useReplaceSecret(webhookId: string): UseMutationResult<CreatedSecret, Error, NewSecretRequest> {
  const path = webhookPath(webhookId);
  return useChange<NewSecretRequest, CreatedSecret>((body) => ({ path: `${path}/secret`, body }), [path]);
}
