import { readdirSync } from 'node:fs';
import { join, normalize, sep } from 'node:path';
import type { HostEnvironment, SessionFile } from '../source.ts';
import { walkFiles } from '../walk.ts';
import { claudeFolders } from './folders.ts';

const EXTENSION = '.jsonl';
/** The desktop application's sessions lie three folders deep; users' own files may lie below. */
const DESKTOP_DEPTH_MAX = 6;

/** Each file once, under the first of its paths. */
export function findTranscripts(places: HostEnvironment): SessionFile[] {
  const { projects, desktop } = claudeFolders(places);
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

/** Below the folder: `/<project>/<session>.jsonl`, or `/<project>/<session>/subagents/…`. */
function sessionOfPath(path: string): string {
  const parts = path.split(sep).filter(Boolean);
  const session = parts[1] ?? parts[0] ?? '';
  return session.endsWith(EXTENSION) ? session.slice(0, -EXTENSION.length) : session;
}

/** Every `.claude/projects` below a folder. */
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
