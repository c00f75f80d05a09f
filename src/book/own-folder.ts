import { TollbookError } from '../core/errors.ts';
import type { Clock } from '../lib/clock.ts';
import { lockFolder } from '../lib/folder-lock.ts';
import type { FolderLock } from '../lib/folder-lock.ts';

/** Makes this process the owner of the data folder. Throws a `TollbookError` (`conflict`) naming the present owner. */
export function ownFolder(folder: string, clock: Clock): FolderLock {
  const result = lockFolder(folder, clock);
  if ('lock' in result) return result.lock;
  const { holder } = result;
  const owner = holder ? `process ${holder.pid} since ${new Date(holder.since).toISOString()}` : 'another process';
  throw new TollbookError(
    'conflict',
    `The data folder ${folder} is in use by ${owner}: stop that process, or set SVC_DATA_DIR to another folder.`,
  );
}
