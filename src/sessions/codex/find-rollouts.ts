import { existsSync } from 'node:fs';
import { basename, posix, relative, win32 } from 'node:path';
import type { HostEnvironment, SessionFile } from '../reading/source.ts';
import { type FoundFile, walkFiles } from '../reading/walk-files.ts';

/**
 * Returns the folders that may be a home of Codex. `SVC_CODEX_SESSIONS_DIR` replaces all others, then `CODEX_HOME`. Both may
 * list several, separated by commas, with `~/` for the user's home.
 */
export function codexHomes(host: HostEnvironment): string[] {
  const { home, env } = host;
  const path = host.platform === 'win32' ? win32 : posix;
  const named = splitList(env['SVC_CODEX_SESSIONS_DIR']) ?? splitList(env['CODEX_HOME']);
  const homes = named?.map((folder) => (/^~(?=[\\/]|$)/.test(folder) ? path.join(home, folder.slice(1)) : folder)) ?? [
    path.join(home, '.codex'),
    path.join(env['XDG_CONFIG_HOME'] || path.join(home, '.config'), 'codex'),
    path.join(env['XDG_DATA_HOME'] || path.join(home, '.local', 'share'), 'codex'),
  ];
  return [...new Set(homes.map((folder) => path.resolve(folder)))];
}

/** Returns the session folders of a home. */
export function codexSessionFolders(codexHome: string, platform: NodeJS.Platform): [active: string, archived: string] {
  const path = platform === 'win32' ? win32 : posix;
  return [path.join(codexHome, 'sessions'), path.join(codexHome, 'archived_sessions')];
}

function splitList(value: string | undefined): string[] | null {
  const entries = value?.split(',').map((entry) => entry.trim()) ?? [];
  const named = entries.filter((entry) => entry !== '');
  return named.length > 0 ? named : null;
}

/** Codex compresses old rollouts to `.zst`, using `.tmp` files that are not rollouts. */
const ROLLOUT = /\.jsonl(?<compressed>\.zst)?$/;
/** `rollout-<local time>-<thread>[_<page>]`. */
const ROLLOUT_NAME = /^rollout-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-(?<thread>[^_]+)(?:_.+)?$/;

interface RolloutCopy {
  readonly file: FoundFile;
  readonly name: string;
  readonly archived: boolean;
  readonly compressed: boolean;
}

/** Finds each rollout once, even if copies are archived, compressed, or in several homes. */
export function findRollouts(host: HostEnvironment): SessionFile[] {
  const best = new Map<string, RolloutCopy>();
  for (const copy of findCopies(host)) {
    const other = best.get(copy.name);
    if (other === undefined || isPreferred(copy, other)) best.set(copy.name, copy);
  }
  return Array.from(best.values(), sessionFile);
}

function* findCopies(host: HostEnvironment): Generator<RolloutCopy> {
  for (const home of codexHomes(host)) {
    const [active, archived] = codexSessionFolders(home, host.platform);
    if (existsSync(active) || existsSync(archived)) {
      yield* copiesBelow(active, false);
      yield* copiesBelow(archived, true);
    } else yield* copiesBelow(home, false);
  }
}

function* copiesBelow(folder: string, archived: boolean): Generator<RolloutCopy> {
  for (const file of walkFiles(folder, (name) => ROLLOUT.test(name))) {
    const stem = basename(file.path).replace(ROLLOUT, '');
    // Files of other tools may have the same name in several folders.
    const name = ROLLOUT_NAME.test(stem) ? stem : relative(folder, file.path).replace(ROLLOUT, '');
    yield { file, name, archived, compressed: file.path.endsWith('.zst') };
  }
}

/** Prefers active to archived and plain to compressed copies, then the longer one. */
function isPreferred(a: RolloutCopy, b: RolloutCopy): boolean {
  if (a.archived !== b.archived) return b.archived;
  if (a.compressed !== b.compressed) return b.compressed;
  if (a.file.size !== b.file.size) return a.file.size > b.file.size;
  return a.file.path < b.file.path;
}

function sessionFile({ file, compressed }: RolloutCopy): SessionFile {
  const found = { ...file, sessionId: threadInName(file.path) };
  return compressed ? { ...found, compressed: 'zstd' } : found;
}

/** Returns the thread in a rollout's name, or the whole name if it has none. */
function threadInName(path: string): string {
  const stem = basename(path).replace(ROLLOUT, '');
  return ROLLOUT_NAME.exec(stem)?.groups?.['thread'] ?? stem;
}
