import { existsSync, statfsSync } from 'node:fs';
import { freemem } from 'node:os';

/** Linux keeps these files in memory. */
const FOLDER = '/dev/shm';
const GIB = 1024 ** 3;
/** Far more than the files and databases of running tests. */
const FREE_MIN = 4 * GIB;

/** Returns the folder for temporary files in memory; null = there is none with enough room. */
export function findMemoryFolder(): string | null {
  if (!existsSync(FOLDER)) return null;
  const { bavail, bsize } = statfsSync(FOLDER);
  return Math.min(bavail * bsize, freemem()) >= FREE_MIN ? FOLDER : null;
}
