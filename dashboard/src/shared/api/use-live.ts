import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { LIVE_EVENTS, type LiveEvent, LiveGathering, type LiveState, type Timer } from './live.ts';
import { addressOf } from './request.ts';

const browserTimer: Timer = {
  now: () => performance.now(),
  after(ms, run) {
    const id = setTimeout(run, ms);
    return () => clearTimeout(id);
  },
};

/** Listens to the service for one workspace, and has what an event changed read anew. Used once, by the shell. */
export function useLive(workspaceId: string): LiveState {
  const client = useQueryClient();
  const [state, setState] = useState<LiveState>('connecting');
  useEffect(() => {
    const gathering = new LiveGathering(browserTimer, (events) => {
      void client.invalidateQueries({
        predicate: ({ queryKey, meta }) =>
          queryKey[0] === workspaceId && changedBy(meta).some((event) => events.has(event)),
      });
    });
    const stream = new EventSource(addressOf('/api/live', { workspace: workspaceId }));
    stream.addEventListener('error', () => setState('off'));
    stream.addEventListener('open', (event) => {
      setState('on');
      // The service's own event of that name: what was shown before may be old.
      if (event instanceof MessageEvent) for (const each of LIVE_EVENTS) gathering.hear(each);
    });
    for (const event of LIVE_EVENTS) stream.addEventListener(event, () => gathering.hear(event));
    return () => {
      stream.close();
      gathering.close();
      setState('connecting');
    };
  }, [client, workspaceId]);
  return state;
}

function changedBy(meta: Record<string, unknown> | undefined): readonly LiveEvent[] {
  return (meta?.['changedBy'] as readonly LiveEvent[] | undefined) ?? [];
}
