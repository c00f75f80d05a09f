import { type Query, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { LiveEvents } from '../../../../src/api/contract-live.ts';
import { accountQuery } from '../session/account.ts';
import { isOld, LIVE_EVENTS, type LiveEvent, LiveGathering, type LiveState, type Timer } from './live.ts';
import { readAnew } from './read-anew.ts';
import { addressOf } from './request.ts';
import { whenDone } from './when-done.ts';

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
    const close = listen(addressOf('/api/live', { workspace: workspaceId }), {
      heard: (event) => gathering.hear(event),
      opened(quietMs, isFirst) {
        if (!isFirst || isOld(quietMs, browserTimer.now() - begun.uptime)) gathering.hear(...LIVE_EVENTS);
        // What was asked for since is not old; what was there already may be.
        else
          anew(
            ({ meta, state: { dataUpdatedAt } }) =>
              changedBy(meta).length > 0 && dataUpdatedAt > 0 && dataUpdatedAt < begun.time,
          );
      },
      changed: setState,
      // The session may be over, or the workspace another's: what one may no more see goes at once.
      ended: () => whenDone(client, () => void client.invalidateQueries({ queryKey: accountQuery.queryKey })),
    });
    return () => {
      close();
      gathering.close();
      setState('connecting');
    };
  }, [client, workspaceId, begun]);
  return state;
}

interface Listener {
  /** @param quietMs as `open` of the contract has it @param isFirst nothing was heard before */
  opened(quietMs: number | null, isFirst: boolean): void;
  heard(event: LiveEvent): void;
  changed(state: LiveState): void;
  /** What was open is not any more, or something else than a stream was answered. */
  ended(): void;
}

/** Returns how to stop. */
function listen(address: string, listener: Listener, isFirst = true): () => void {
  const stream = new EventSource(address);
  let stop = (): void => stream.close();
  const { heard, opened, changed, ended } = listener;
  let isOpen = false;
  let wasOpen = !isFirst;
  stream.addEventListener('error', () => {
    changed('off');
    const isRefused = stream.readyState === EventSource.CLOSED;
    // Once: while nobody answers, the browser tries again every two seconds.
    if (isOpen || isRefused) ended();
    isOpen = false;
    // After a connection that broke the browser tries again by itself, after an answer that says no it does not.
    if (!isRefused) return;
    const callOff = browserTimer.after(REOPEN_MS, () => {
      stop = listen(address, listener, false);
    });
    stop = callOff;
  });
  stream.addEventListener('open', (event) => {
    isOpen = true;
    changed('on');
    // The service's own event of that name; the browser has one too.
    if (!(event instanceof MessageEvent)) return;
    const { quietMs } = JSON.parse(String(event.data)) as LiveEvents['open'];
    opened(quietMs, !wasOpen);
    wasOpen = true;
  });
  for (const event of LIVE_EVENTS) stream.addEventListener(event, () => heard(event));
  return () => stop();
}

function changedBy(meta: Record<string, unknown> | undefined): readonly LiveEvent[] {
  return (meta?.['changedBy'] as readonly LiveEvent[] | undefined) ?? [];
}
