import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from './api-error.ts';

/** What was read stays fresh this long, if no live event says otherwise. */
const FRESH_MS = 30_000;
const RETRIES_MAX = 2;

/** @param onSignedOut the session is over: called for every answer with status 401 */
export function createQueryClient(onSignedOut: () => void): QueryClient {
  const onError = (error: Error): void => {
    if (error instanceof ApiError && error.status === 401) onSignedOut();
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: { queries: { staleTime: FRESH_MS, retry: mayRetry } },
  });
}

/** Only what may be otherwise a moment later is asked for again. */
function mayRetry(failures: number, error: Error): boolean {
  return failures < RETRIES_MAX && error instanceof ApiError && (error.status === 0 || error.status >= 500);
}
