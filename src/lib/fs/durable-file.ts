import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Only the owner of the process may read and write. */
const PRIVATE_MODE = 0o600;

/** Writes a private file whole or not at all, and only returns when it survives a loss of power. */
export function replaceFile(path: string, text: string): void {
  const draft = writeDraft(path, text);
  renameSync(draft, path);
  syncFolder(path);
}

/** Like `replaceFile`, but never over a file that is there: false = it was. */
export function createFile(path: string, text: string): boolean {
  if (existsSync(path)) return false;
  const draft = writeDraft(path, text);
  try {
    // A link fails where a rename would overwrite: of two processes that get here, one wins.
    linkSync(draft, path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft);
  }
  syncFolder(path);
  return true;
}

function writeDraft(path: string, text: string): string {
  const draft = `${path}.${process.pid}.draft`;
  rmSync(draft, { force: true });
  const file = openSync(draft, 'wx', PRIVATE_MODE);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  return draft;
}

function syncFolder(path: string): void {
  // Windows can't open a folder; its file system writes names through by itself.
  if (process.platform === 'win32') return;
  const folder = openSync(dirname(path), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
