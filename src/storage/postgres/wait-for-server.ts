import { setTimeout } from 'node:timers/promises';
import type { ServerWait } from '../server-wait.ts';
import { isServerAway } from './postgres-errors.ts';

/** Wait between two attempts to reach a server. */
const RETRY_MS = 1_000;

/** Runs `work`, again while the server can't be reached: it may start at the same time as this process. */
export async function untilServerAnswers<Result>(
  work: () => Promise<Result>,
  { waitMsMax, onWait = () => {}, signal }: ServerWait,
): Promise<Result> {
  const deadline = performance.now() + waitMsMax;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (
        !(error instanceof Error) ||
        !isServerAway(error) ||
        performance.now() + RETRY_MS > deadline ||
        signal?.aborted
      )
        throw error;
      onWait(error.message);
    }
    // The last attempt follows immediately.
    await setTimeout(RETRY_MS, undefined, { signal }).catch(() => undefined);
  }
}
