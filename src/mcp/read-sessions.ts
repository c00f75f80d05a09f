import type { LocalSource } from '../domain/sessions/local-call.ts';
import { loadLocalUses, type LocalUses, noSessionsNotes, recentSessions } from '../sessions/reports/local-usage.ts';
import { VERSION } from '../version.ts';
import type { ToolContext } from './tool.ts';
import { HOUR_MS } from '../domain/time/units.ts';

export interface RecentSessions extends Pick<LocalUses, 'uses' | 'warnings'> {
  /** Epoch ms of the newest change of a file, by session. */
  readonly modifiedAt: ReadonlyMap<string, number>;
}

/**
 * Sessions of one assistant that were modified within so many hours, each one whole. Older files are looked at too:
 * what a session copied from them is theirs.
 */
export async function readSessions(
  source: LocalSource,
  maxAgeHours: number,
  { machine, clock, signal, progress }: Pick<ToolContext, 'machine' | 'clock' | 'signal' | 'progress'>,
): Promise<RecentSessions> {
  const loaded = await loadLocalUses({
    sources: [source],
    env: machine.env,
    version: VERSION,
    signal,
    onProgress: (done) => progress(done.files, done.ofFiles, `${done.files} of ${done.ofFiles} session files read`),
  });
  const modifiedAt = recentSessions(loaded, clock() - maxAgeHours * HOUR_MS);
  const uses = loaded.uses.filter(({ call }) => modifiedAt.has(call.sessionId));
  return { uses, warnings: [...loaded.warnings, ...noSessionsNotes(source, loaded.files)], modifiedAt };
}
