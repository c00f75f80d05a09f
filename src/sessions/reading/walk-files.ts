import { readdirSync, statSync, type BigIntStats } from 'node:fs';
import { join, normalize, sep } from 'node:path';

/** Deeper folders have no sessions. The limit also ends cycles of links. */
const DEPTH_MAX = 12;

/** A file that was found. */
export interface FoundFile {
  readonly path: string;
  readonly size: number;
  /** Epoch ms, with fractions. */
  readonly modifiedAt: number;
  /** Device and inode. */
  readonly inode: string;
}

/**
 * Returns all files below a folder with a wanted name. It follows links, visits each folder once, and skips missing and
 * unreadable files, because assistants delete and move files meanwhile. Synchronous, which is several times faster here.
 */
export function walkFiles(folder: string, wanted: (name: string) => boolean): FoundFile[] {
  const found: FoundFile[] = [];
  walk(normalize(folder), 0, wanted, new Set(), found);
  return found;
}

/** Returns the files with a wanted name in a folder itself. */
export function listFiles(folder: string, wanted: (name: string) => boolean): FoundFile[] {
  return listEntries(folder).flatMap(({ name }) => {
    const path = join(folder, name);
    const stat = wanted(name) ? statOrNull(path) : null;
    return stat?.isFile() ? [foundFile(path, stat)] : [];
  });
}

function walk(
  folder: string,
  depth: number,
  wanted: (name: string) => boolean,
  seen: Set<string>,
  found: FoundFile[],
): void {
  const own = statOrNull(folder);
  if (own === null || !own.isDirectory() || seen.has(toInode(own))) return;
  seen.add(toInode(own));
  // Plain concatenation, because the paths are normalized already and there are thousands.
  const base = folder.endsWith(sep) ? folder : folder + sep;
  for (const entry of listEntries(folder)) {
    const path = base + entry.name;
    const isLink = entry.isSymbolicLink();
    if (entry.isDirectory() || (isLink && !wanted(entry.name))) {
      if (depth < DEPTH_MAX) walk(path, depth + 1, wanted, seen, found);
    } else if (wanted(entry.name)) {
      const stat = statOrNull(path);
      if (stat?.isFile()) found.push(foundFile(path, stat));
      else if (isLink && depth < DEPTH_MAX) walk(path, depth + 1, wanted, seen, found);
    }
  }
}

function listEntries(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** Returns the stats with big integers, because inodes on Windows exceed safe numbers; null = missing or unreadable. */
function statOrNull(path: string): BigIntStats | null {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}

function toInode(stat: BigIntStats): string {
  return `${stat.dev}:${stat.ino}`;
}

function foundFile(path: string, stat: BigIntStats): FoundFile {
  return { path, size: Number(stat.size), modifiedAt: Number(stat.mtimeNs) / 1e6, inode: toInode(stat) };
}
