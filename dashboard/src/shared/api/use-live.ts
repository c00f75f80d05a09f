import { type Query, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { accountQuery } from '../session/account.ts';
import { isOld, LIVE_EVENTS, type LiveEvent, LiveGathering, type LiveState, type Timer } from './live.ts';
import { LiveStream } from './live-stream.ts';
import { readAnew } from './read-anew.ts';
import { addressOf } from './request.ts';
import { whenDone } from './when-done.ts';

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
  // Before any part of the page asks for anything.
  const [begun] = useState(() => ({ uptime: browserTimer.now(), time: Date.now() }));
  useEffect(() => {
    const anew = (matches: (query: Query) => boolean): void =>
      void readAnew(client, {
        predicate: (query) => query.queryKey[0] === workspaceId && matches(query),
        // A page that nobody looks at reads anew when it is looked at, and costs nothing until then.
        refetchType: document.hidden ? 'none' : 'active',
      });
    const gathering = new LiveGathering(browserTimer, (events) =>
      anew(({ meta }) => changedBy(meta).some((event) => events.has(event))),
    );
    // The session may be over, or the workspace another's: what one may no more see goes at once.
    const askWhoAmI = (): void =>
      void whenDone(client, () => void client.invalidateQueries({ queryKey: accountQuery.queryKey }));
    const stream = new LiveStream({
      open: () => new EventSource(addressOf('/api/live', { workspace: workspaceId })),
      timer: browserTimer,
      whenDone: (act) => whenDone(client, act),
      heard: (event) => gathering.hear(event),
      opened(quietMs, isFirst) {
        if (!isFirst) askWhoAmI();
        if (!isFirst || isOld(quietMs, browserTimer.now() - begun.uptime)) gathering.hear(...LIVE_EVENTS);
        // What was asked for since is not old; what was there already may be.
        else
          anew(
            ({ meta, state: { dataUpdatedAt } }) =>
              changedBy(meta).length > 0 && dataUpdatedAt > 0 && dataUpdatedAt < begun.time,
          );
      },
      changed: setState,
      refused: askWhoAmI,
    });
    return () => {
      stream.close();
      gathering.close();
      setState('connecting');
    };
  }, [client, workspaceId, begun]);
  return state;
}

function changedBy(meta: Record<string, unknown> | undefined): readonly LiveEvent[] {
  return (meta?.['changedBy'] as readonly LiveEvent[] | undefined) ?? [];
}
