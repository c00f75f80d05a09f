import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';

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

/**
 * Makes a folder and those above it that are missing, one by one: where the system says that there is no such place
 * below a folder that is there (`/proc/x`), Node's own recursive call never ends. Throws the system's error.
 */
export function makeFolder(path: string, mode: number): void {
  const missing: string[] = [];
  for (let folder = resolve(path); !statSync(folder, { throwIfNoEntry: false }); folder = dirname(folder))
    missing.unshift(folder);
  for (const folder of missing) makeOne(folder, mode);
  if (!statSync(path).isDirectory()) throw new Error(`${path} is a file`);
}

function makeOne(folder: string, mode: number): void {
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    // Another process may have been quicker.
    if (!existsSync(folder)) throw error;
  }
}
