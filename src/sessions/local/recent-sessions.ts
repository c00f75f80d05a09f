import type { LocalUses } from './local-usage.ts';

/** Sessions that were modified at or after `from` (epoch ms): each is as new as the newest of its files, which is told. */
export function recentSessions({ files }: Pick<LocalUses, 'files'>, from: number): ReadonlyMap<string, number> {
  const newest = new Map<string, number>();
  for (const { sessionId, modifiedAt } of files)
    newest.set(sessionId, Math.max(modifiedAt, newest.get(sessionId) ?? 0));
  return new Map([...newest].filter(([, modifiedAt]) => modifiedAt >= from));
}
