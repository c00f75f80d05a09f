import { readdirSync } from 'node:fs';
import { join, normalize, posix, sep, win32 } from 'node:path';
import type { HostEnvironment, SessionFile } from '../reading/source.ts';
import { walkFiles } from '../reading/walk-files.ts';

/** Folders with projects, and folders that may contain such folders. */
export interface ClaudeFolders {
  readonly projects: readonly string[];
  /** Folders of the desktop app: each of its sessions has a home folder somewhere below. */
  readonly desktop: readonly string[];
}

const DESKTOP_SESSIONS = 'local-agent-mode-sessions';

/**
 * Returns the folders to search. `CLAUDE_CONFIG_DIR` replaces both folders of the command line. It may list several, separated
 * by commas, with `~/` for the user's home. A folder named `projects` is used as it is. The desktop app ignores the setting.
 */
export function claudeFolders(host: HostEnvironment): ClaudeFolders {
  const path = host.platform === 'win32' ? win32 : posix;
  const config = absoluteOrNull(path, host.env['XDG_CONFIG_HOME']) ?? path.join(host.home, '.config');
  const homes = namedHomes(path, host) ?? [path.join(host.home, '.claude'), path.join(config, 'claude')];
  const projects = homes.map((home) => (path.basename(home) === 'projects' ? home : path.join(home, 'projects')));
  const desktop = desktopFolders(path, host, config).map((folder) => path.join(folder, 'Claude', DESKTOP_SESSIONS));
  return { projects: [...new Set(projects)], desktop };
}

type PathModule = typeof posix;

function namedHomes(path: PathModule, { home, env }: HostEnvironment): string[] | null {
  const entries = (env['CLAUDE_CONFIG_DIR'] ?? '').split(',').map((entry) => entry.trim());
  const folders = entries
    .filter((entry) => entry !== '')
    .map((entry) => path.resolve(/^~(?=[\\/]|$)/.test(entry) ? path.join(home, entry.slice(1)) : entry));
  return folders.length > 0 ? folders : null;
}

/** Returns the folders that may contain the desktop app's folder `Claude`. */
function desktopFolders(path: PathModule, { home, env, platform }: HostEnvironment, config: string): string[] {
  if (platform === 'darwin') return [path.join(home, 'Library', 'Application Support')];
  if (platform !== 'win32') return [config];
  const roaming = absoluteOrNull(path, env['APPDATA']) ?? path.join(home, 'AppData', 'Roaming');
  const local = absoluteOrNull(path, env['LOCALAPPDATA']) ?? path.join(home, 'AppData', 'Local');
  const packages = path.join(local, 'Packages');
  // Installed from the store, the app is in a package whose name ends with a publisher id.
  const own = namesIn(packages).filter((name) => name.startsWith('Claude_'));
  return [roaming, ...own.map((name) => path.join(packages, name, 'LocalCache', 'Roaming'))];
}

function absoluteOrNull(path: PathModule, folder: string | undefined): string | null {
  return folder !== undefined && path.isAbsolute(folder) ? folder : null;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

const EXTENSION = '.jsonl';
/** The sessions of the desktop app are three folders deep. Users' own files may be below. */
const DESKTOP_DEPTH_MAX = 6;

/** Finds all transcripts, each once under the first of its paths. */
export function findTranscripts(host: HostEnvironment): SessionFile[] {
  const { projects, desktop } = claudeFolders(host);
  const folders = [...projects, ...desktop.flatMap((folder) => projectsBelow(folder, 0))];
  const files = new Map<string, SessionFile>();
  for (const folder of folders) {
    const start = normalize(folder).length;
    for (const file of walkFiles(folder, (name) => name.endsWith(EXTENSION))) {
      const other = files.get(file.inode);
      if (other !== undefined && other.path < file.path) continue;
      files.set(file.inode, { ...file, sessionId: sessionOfPath(file.path.slice(start)) });
    }
  }
  return [...files.values()];
}

/** Returns the session in a path: `/<project>/<session>.jsonl` or `/<project>/<session>/subagents/…`. */
function sessionOfPath(path: string): string {
  const parts = path.split(sep).filter(Boolean);
  const session = parts[1] ?? parts[0] ?? '';
  return session.endsWith(EXTENSION) ? session.slice(0, -EXTENSION.length) : session;
}

/** Returns every `.claude/projects` below a folder. */
function projectsBelow(folder: string, depth: number): string[] {
  if (depth > DESKTOP_DEPTH_MAX) return [];
  return foldersIn(folder).flatMap((name) =>
    name === '.claude' ? [join(folder, name, 'projects')] : projectsBelow(join(folder, name), depth + 1),
  );
}

function foldersIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  } catch {
    return [];
  }
}
