import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { accountQuery } from '../session/account.ts';
import { LIVE_EVENTS, type LiveEvent, LiveGathering, type LiveState, type Timer } from './live.ts';
import { readAnew } from './read-anew.ts';
import { addressOf } from './request.ts';

/** Until a stream is opened again whose opening was refused. */
const REOPEN_MS = 10_000;

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
      void readAnew(client, {
        predicate: ({ queryKey, meta }) =>
          queryKey[0] === workspaceId && changedBy(meta).some((event) => events.has(event)),
        // A page that nobody looks at reads anew when it is looked at, and costs nothing until then.
        refetchType: document.hidden ? 'none' : 'active',
      });
    });
    const close = listen(addressOf('/api/live', { workspace: workspaceId }), {
      heard: (event) => gathering.hear(event),
      changed: setState,
      // The session may be over, or the workspace another's: what one may no more see goes at once.
      ended: () => void client.invalidateQueries({ queryKey: accountQuery.queryKey }),
    });
    return () => {
      close();
      gathering.close();
      setState('connecting');
    };
  }, [client, workspaceId]);
  return state;
}

interface Listener {
  heard(event: LiveEvent): void;
  changed(state: LiveState): void;
  /** What was open is not any more, or something else than a stream was answered. */
  ended(): void;
}

/** Returns how to stop. */
function listen(address: string, { heard, changed, ended }: Listener): () => void {
  const stream = new EventSource(address);
  let stop = (): void => stream.close();
  let isOpen = false;
  stream.addEventListener('error', () => {
    changed('off');
    const isRefused = stream.readyState === EventSource.CLOSED;
    // Once: while nobody answers, the browser tries again every two seconds.
    if (isOpen || isRefused) ended();
    isOpen = false;
    // After a connection that broke the browser tries again by itself, after an answer that says no it does not.
    if (!isRefused) return;
    const callOff = browserTimer.after(REOPEN_MS, () => {
      stop = listen(address, { heard, changed, ended });
    });
    stop = callOff;
  });
  stream.addEventListener('open', (event) => {
    isOpen = true;
    changed('on');
    // The service's own event of that name: what was shown before may be old.
    if (event instanceof MessageEvent) for (const each of LIVE_EVENTS) heard(each);
  });
  for (const event of LIVE_EVENTS) stream.addEventListener(event, () => heard(event));
  return () => stop();
}

function changedBy(meta: Record<string, unknown> | undefined): readonly LiveEvent[] {
  return (meta?.['changedBy'] as readonly LiveEvent[] | undefined) ?? [];
}
