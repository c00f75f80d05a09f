import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { basename, join, relative, resolve } from 'node:path';
import type { BackupResult } from '../api/installation.ts';
import { TollbookError } from '../domain/errors.ts';
import { makeFolder } from '../lib/fs/files.ts';
import { listSegments, segmentPath } from '../journal/segments.ts';
import type { StorageEngine } from '../storage/engine.ts';
import type { DataFiles } from './data-folder.ts';

const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;

/**
 * Writes a consistent copy of the data folder into a new folder during operation. The ledger is copied first: a
 * journal newer than its ledger is shipped again, an older one would lose calls.
 * @param journals folders
 */
export async function backup(
  files: DataFiles,
  engine: Pick<StorageEngine, 'backup' | 'backupAdvice'>,
  journals: readonly string[],
  to: string,
  secretInFolder: boolean,
): Promise<BackupResult> {
  if (engine.backupAdvice !== null) throw new TollbookError('unprocessable', engine.backupAdvice);
  makeTarget(to, files.folder);
  const copied = await engine.backup(to);
  for (const folder of journals) copied.push(await copyJournal(folder, files.folder, to));
  for (const file of [files.providers, files.prices, ...(secretInFolder ? [files.secret] : [])])
    if (existsSync(file)) copied.push(copyPlain(file, to));
  const note = secretInFolder
    ? null
    : 'The master secret is not in the copy: it is set by SVC_SECRET. Keep it somewhere safe.';
  return { folder: to, files: copied, note };
}

function makeTarget(to: string, folder: string): void {
  if (!relative(resolve(folder), resolve(to)).startsWith('..'))
    throw new TollbookError('conflict', `${to} is inside the data folder; name a folder outside of it.`, 'folder');
  let found: string[];
  try {
    makeFolder(to, PRIVATE_FOLDER);
    found = readdirSync(to);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new TollbookError('unprocessable', `${to} can't be made a folder for the copy: ${reason}.`, 'folder');
  }
  if (found.length > 0)
    throw new TollbookError('conflict', `${to} is not empty; name a new folder for the copy.`, 'folder');
}

/**
 * Copies segments, oldest first, so that the copy has everything up to some point. A line that is cut off there is
 * dropped at the start.
 */
async function copyJournal(folder: string, dataDir: string, to: string): Promise<string> {
  const name = relative(dataDir, folder);
  const copy = join(to, name);
  mkdirSync(copy, { mode: PRIVATE_FOLDER, recursive: true });
  for (const number of listSegments(folder)) {
    await copyFile(segmentPath(folder, number), segmentPath(copy, number));
    chmodSync(segmentPath(copy, number), PRIVATE_FILE);
  }
  return name;
}

function copyPlain(file: string, to: string): string {
  const name = basename(file);
  copyFileSync(file, join(to, name));
  chmodSync(join(to, name), PRIVATE_FILE);
  return name;
}
