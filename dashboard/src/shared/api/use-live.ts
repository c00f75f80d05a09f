import { type Query, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { accountQuery } from '../session/account.ts';
import { LiveStream } from './live-stream.ts';
import { isStale, LIVE_EVENTS, type LiveEvent, LiveBatcher, type LiveState, type LiveTimer } from './live.ts';
import { afterMutations, refetchStale } from './query-client.ts';
import { buildPath, buildUrl } from './request.ts';

const browserTimer: LiveTimer = {
  now: () => performance.now(),
  after(ms, run) {
    const id = setTimeout(run, ms);
    return () => clearTimeout(id);
  },
};

/** Listens to live events of a workspace and refetches what they change. Used once, by the shell. */
export function useLive(workspaceId: string): LiveState {
  const client = useQueryClient();
  const [state, setState] = useState<LiveState>('connecting');
  // Before any part of the page requests data.
  const [begun] = useState(() => ({ uptime: browserTimer.now(), time: Date.now() }));
  useEffect(() => {
    const refetch = (matches: (query: Query) => boolean): void =>
      void refetchStale(client, {
        predicate: (query) => query.queryKey[0] === workspaceId && matches(query),
        // A hidden page refetches when it becomes visible.
        refetchType: document.hidden ? 'none' : 'active',
      });
    const gathering = new LiveBatcher(browserTimer, (events) =>
      refetch(({ meta }) => changedBy(meta).some((event) => events.has(event))),
    );
    // The session or the membership may have ended: hide what the user may no longer see.
    const askWhoAmI = (): void =>
      void afterMutations(client, () => void client.invalidateQueries({ queryKey: accountQuery.queryKey }));
    const stream = new LiveStream({
      open: () => new EventSource(buildUrl(buildPath('GET /api/live', {}), { workspace: workspaceId })),
      timer: browserTimer,
      whenDone: (act) => afterMutations(client, act),
      onEvent: (event) => gathering.add(event),
      opened(quietMs, isFirst) {
        if (!isFirst) askWhoAmI();
        if (!isFirst || isStale(quietMs, browserTimer.now() - begun.uptime)) gathering.add(...LIVE_EVENTS);
        // Data requested since then is fresh; older data may be stale.
        else
          refetch(
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
