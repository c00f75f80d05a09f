import { TollbookError } from '../domain/errors.ts';
import type { Clock } from '../lib/clock.ts';
import { lockFolder } from '../lib/fs/folder-lock.ts';
import type { FolderLock } from '../lib/fs/folder-lock.ts';
import { makeFolder } from '../lib/fs/files.ts';
import { dataFiles } from './files.ts';
import { closeDatabases } from './folder-rights.ts';

/**
 * Makes this process the owner of the data folder, and the folder if there is none. Throws a `TollbookError`: `conflict`
 * naming the present owner, `impossible` where nothing can be written.
 */
export function ownFolder(folder: string, clock: Clock): FolderLock {
  const result = lockIn(folder, clock);
  if ('lock' in result) return result.lock;
  const { holder } = result;
  const owner = holder ? `process ${holder.pid} since ${new Date(holder.since).toISOString()}` : 'another process';
  throw new TollbookError(
    'conflict',
    `The data folder ${folder} is in use by ${owner}: stop that process, or set SVC_DATA_DIR to another folder.`,
  );
}

function lockIn(folder: string, clock: Clock): ReturnType<typeof lockFolder> {
  try {
    makeFolder(folder, 0o700);
    closeDatabases(dataFiles(folder));
    return lockFolder(folder, clock);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new TollbookError(
      'impossible',
      `The data folder ${folder} can't be used (${reason}): make it writable for this user, or set SVC_DATA_DIR to another.`,
    );
  }
}
