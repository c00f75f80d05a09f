import { existsSync } from 'node:fs';
import { posix, win32 } from 'node:path';
import type { LocalSource } from '../../domain/sessions/local-call.ts';
import type { HostEnvironment } from './source.ts';

/** Sources whose folders depend on more than a table. */
type OwnFolders = 'claude_code' | 'codex';

/** Folders of a user, joined for the user's system. */
interface UserFolders {
  /** Returns a path in the home. */
  home(...names: readonly string[]): string;
  /** Returns a path in the folder of programs' data: `XDG_DATA_HOME`, else `~/.local/share`. */
  data(...names: readonly string[]): string;
  /** Returns a path in the folder of programs' data on Windows: `LOCALAPPDATA`. */
  local(...names: readonly string[]): string;
  /** Returns a path in the folder of programs' settings on Windows: `APPDATA`. */
  roaming(...names: readonly string[]): string;
  /** Returns the folders that a variable names, separated by commas; without it, the default. */
  named(variable: string, or: readonly string[]): string[];
  readonly platform: NodeJS.Platform;
  readonly join: (...names: string[]) => string;
}

/** Folders with the sessions of each assistant. */
const FOLDERS: Readonly<Record<Exclude<LocalSource, OwnFolders>, (folders: UserFolders) => readonly string[]>> = {
  gemini_cli: ({ home, named, join }) => named('GEMINI_CLI_HOME', [home()]).map((path) => join(path, '.gemini', 'tmp')),
  opencode: ({ data }) => [data('opencode')],
  qwen_code: ({ home, named, join }) => named('QWEN_HOME', [home('.qwen')]).map((path) => join(path, 'projects')),
  pi: ({ home, named, join }) =>
    named('PI_CODING_AGENT_DIR', [home('.pi', 'agent')]).map((path) => join(path, 'sessions')),
  copilot_cli: ({ home, named }) => named('COPILOT_HOME', [home('.copilot')]),
  cline: ({ home, named, join }) => {
    const data = named('CLINE_DIR', [home('.cline')]).map((path) => join(path, 'data'));
    const sessions = named('CLINE_DATA_DIR', data).map((path) => join(path, 'sessions'));
    return named('CLINE_SESSION_DATA_DIR', sessions);
  },
  kimi_code: ({ home, named, join }) =>
    named('KIMI_CODE_HOME', [home('.kimi-code')]).map((path) => join(path, 'sessions')),
  zed: ({ data, home, local, platform }) => {
    if (platform === 'darwin') return [home('Library', 'Application Support', 'Zed', 'threads')];
    return [platform === 'win32' ? local('Zed', 'threads') : data('zed', 'threads')];
  },
  goose: ({ data, home, roaming, named, platform, join }) => {
    const own = platform === 'win32' ? roaming('Block', 'goose', 'data') : data('goose');
    const mac = platform === 'darwin' ? [home('Library', 'Application Support', 'Block', 'goose')] : [];
    const roots = named('GOOSE_PATH_ROOT', []).map((path) => join(path, 'data'));
    return (roots.length > 0 ? roots : [own, ...mac]).map((path) => join(path, 'sessions'));
  },
  kilo_code: ({ data }) => [data('kilo')],
  droid: ({ home, named, join }) =>
    named('FACTORY_HOME_OVERRIDE', [home()]).map((path) => join(path, '.factory', 'sessions')),
  amp: ({ data }) => [data('amp', 'threads')],
};

/** Settings that change the folders searched for an assistant's sessions; null = none. */
export const FOLDER_SETTINGS: Readonly<Record<LocalSource, string | null>> = {
  claude_code: 'CLAUDE_CONFIG_DIR',
  codex: 'CODEX_HOME or SVC_CODEX_SESSIONS_DIR',
  gemini_cli: 'GEMINI_CLI_HOME',
  opencode: 'XDG_DATA_HOME',
  qwen_code: 'QWEN_HOME',
  pi: 'PI_CODING_AGENT_DIR',
  copilot_cli: 'COPILOT_HOME',
  cline: 'CLINE_DIR',
  kimi_code: 'KIMI_CODE_HOME',
  zed: null,
  goose: 'GOOSE_PATH_ROOT',
  kilo_code: 'XDG_DATA_HOME',
  droid: 'FACTORY_HOME_OVERRIDE',
  amp: 'XDG_DATA_HOME',
};

/** Returns every folder that is searched for sessions of an assistant, even if it does not exist. */
export function assistantFolders(source: Exclude<LocalSource, OwnFolders>, host: HostEnvironment): readonly string[] {
  return FOLDERS[source](userFolders(host));
}

/** Returns false if the assistant has no folder on this machine, so that its source need not be loaded. */
export function hasFolders(source: LocalSource, host: HostEnvironment): boolean {
  if (source === 'claude_code' || source === 'codex') return true;
  return assistantFolders(source, host).some((folder) => existsSync(folder));
}

function userFolders({ home, platform, env }: HostEnvironment): UserFolders {
  const path = platform === 'win32' ? win32 : posix;
  const named = (variable: string, or: readonly string[]): string[] => {
    const entries = (env[variable] ?? '').split(',').map((entry) => entry.trim());
    const folders = entries.filter((entry) => entry !== '');
    return folders.length === 0 ? [...or] : folders.map((entry) => path.resolve(expandHome(path, home, entry)));
  };
  const xdg = env['XDG_DATA_HOME'] ?? '';
  const dataFolder = path.isAbsolute(xdg) ? xdg : path.join(home, '.local', 'share');
  return {
    home: (...names) => path.join(home, ...names),
    data: (...names) => path.join(dataFolder, ...names),
    local: (...names) => path.join(env['LOCALAPPDATA'] || path.join(home, 'AppData', 'Local'), ...names),
    roaming: (...names) => path.join(env['APPDATA'] || path.join(home, 'AppData', 'Roaming'), ...names),
    named,
    platform,
    join: path.join,
  };
}

function expandHome(path: typeof posix, home: string, entry: string): string {
  return /^~(?=[\\/]|$)/.test(entry) ? path.join(home, entry.slice(1)) : entry;
}
