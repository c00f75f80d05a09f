import { readdirSync } from 'node:fs';
import { posix, win32 } from 'node:path';
import type { Places } from '../source.ts';

/** Folders of projects, and folders below which some may be. */
export interface ClaudeFolders {
  readonly projects: readonly string[];
  /** Of the desktop application: each of its sessions has a home of its own, somewhere below. */
  readonly desktop: readonly string[];
}

const DESKTOP_SESSIONS = 'local-agent-mode-sessions';

/**
 * `CLAUDE_CONFIG_DIR` replaces both folders of the command line. It may name several, separated by commas, with `~/`
 * for the user's home; one that is called `projects` is taken as it is. The desktop application does not know it.
 */
export function claudeFolders(places: Places): ClaudeFolders {
  const path = places.platform === 'win32' ? win32 : posix;
  const config = absolute(path, places.env['XDG_CONFIG_HOME']) ?? path.join(places.home, '.config');
  const homes = named(path, places) ?? [path.join(places.home, '.claude'), path.join(config, 'claude')];
  const projects = homes.map((home) => (path.basename(home) === 'projects' ? home : path.join(home, 'projects')));
  const desktop = desktopFolders(path, places, config).map((folder) => path.join(folder, 'Claude', DESKTOP_SESSIONS));
  return { projects: [...new Set(projects)], desktop };
}

type Path = typeof posix;

function named(path: Path, { home, env }: Places): string[] | null {
  const entries = (env['CLAUDE_CONFIG_DIR'] ?? '').split(',').map((entry) => entry.trim());
  const folders = entries
    .filter((entry) => entry !== '')
    .map((entry) => path.resolve(/^~(?=[\\/]|$)/.test(entry) ? path.join(home, entry.slice(1)) : entry));
  return folders.length > 0 ? folders : null;
}

/** Where the desktop application keeps its folder `Claude`. */
function desktopFolders(path: Path, { home, env, platform }: Places, config: string): string[] {
  if (platform === 'darwin') return [path.join(home, 'Library', 'Application Support')];
  if (platform !== 'win32') return [config];
  const roaming = absolute(path, env['APPDATA']) ?? path.join(home, 'AppData', 'Roaming');
  const local = absolute(path, env['LOCALAPPDATA']) ?? path.join(home, 'AppData', 'Local');
  const packages = path.join(local, 'Packages');
  // Installed from the store, it lives in a package whose name ends in letters of the publisher's.
  const own = namesIn(packages).filter((name) => name.startsWith('Claude_'));
  return [roaming, ...own.map((name) => path.join(packages, name, 'LocalCache', 'Roaming'))];
}

function absolute(path: Path, folder: string | undefined): string | null {
  return folder !== undefined && path.isAbsolute(folder) ? folder : null;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
