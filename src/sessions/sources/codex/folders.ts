import { posix, win32 } from 'node:path';
import type { HostEnvironment } from '../source.ts';

/**
 * Folders that may be a home of Codex. `SVC_CODEX_SESSIONS_DIR` replaces all others, then `CODEX_HOME`; both may name
 * several, separated by commas, with `~/` for the user's home.
 */
export function codexHomes(places: HostEnvironment): string[] {
  const { home, env } = places;
  const path = places.platform === 'win32' ? win32 : posix;
  const named = splitList(env['SVC_CODEX_SESSIONS_DIR']) ?? splitList(env['CODEX_HOME']);
  const homes = named?.map((folder) => (/^~(?=[\\/]|$)/.test(folder) ? path.join(home, folder.slice(1)) : folder)) ?? [
    path.join(home, '.codex'),
    path.join(env['XDG_CONFIG_HOME'] || path.join(home, '.config'), 'codex'),
    path.join(env['XDG_DATA_HOME'] || path.join(home, '.local', 'share'), 'codex'),
  ];
  return [...new Set(homes.map((folder) => path.resolve(folder)))];
}

/** Active sessions first: of two copies of one rollout, the one in an earlier folder counts. */
export function codexSessionFolders(codexHome: string, platform: NodeJS.Platform): [active: string, archived: string] {
  const path = platform === 'win32' ? win32 : posix;
  return [path.join(codexHome, 'sessions'), path.join(codexHome, 'archived_sessions')];
}

function splitList(value: string | undefined): string[] | null {
  const entries = value?.split(',').map((entry) => entry.trim()) ?? [];
  const named = entries.filter((entry) => entry !== '');
  return named.length > 0 ? named : null;
}
