import type { Limit } from './limit.ts';
import type { Period } from './period.ts';
import { windowAt } from './window.ts';

/** The windows that are open at an instant. Limits of one workspace share them, and to find one takes a calendar. */
export function openWindows(at: number): (limit: Limit) => Period {
  const known = new Map<string, Period>();
  return ({ workspaceId, window, zones }) => {
    const key = `${window} ${workspaceId}`;
    let period = known.get(key);
    if (!period) known.set(key, (period = windowAt(window, at, zones)));
    return period;
  };
}
