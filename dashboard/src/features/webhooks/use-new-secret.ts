import type { UseMutationResult } from '@tanstack/react-query';
import { useChange } from '../../shared/api/use-change.ts';
import { webhookPath } from './use-webhook.ts';

interface NewSecret {
  /** undefined = one is made. */
  readonly secret: string | undefined;
  readonly dropOld: boolean;
}

interface MadeSecret {
  /** Shown once. */
  readonly secret: string;
  readonly oldValidUntil: string | null;
}

export function useNewSecret(webhookId: string): UseMutationResult<MadeSecret, Error, NewSecret> {
  const path = webhookPath(webhookId);
  return useChange<NewSecret, MadeSecret>((body) => ({ path: `${path}/secret`, body }), [path]);
}
