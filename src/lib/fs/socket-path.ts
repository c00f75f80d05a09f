import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, realpathSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join, resolve } from 'node:path';

/** `sun_path` holds 104 bytes on macOS and 108 on Linux, its closing zero included. */
const SOCKET_PATH_BYTES_MAX = 100;
const HASH_CHARACTERS = 24;

/** Returns the socket of the command line for a running service. Everyone who can open it owns the data folder. */
export function controlSocketPath(dataDir: string): string {
  return socketPath(dataDir, 'control');
}

/** Returns the socket on which the gateway thread hands requests of the public port to the ledger thread. */
export function webSocketPath(dataDir: string): string {
  return socketPath(dataDir, 'web');
}

/**
 * A socket inside the data folder, a named pipe on Windows. A folder whose path is too long for a socket gets one in a
 * private folder for temporary files, named by a hash of the real path: every name of the same folder leads there.
 */
function socketPath(dataDir: string, name: string): string {
  const folder = realPath(dataDir);
  const hash = createHash('sha256').update(folder).digest('hex').slice(0, HASH_CHARACTERS);
  if (process.platform === 'win32') return `\\\\.\\pipe\\tollbook-${hash}-${name}`;
  const path = join(folder, `${name}.sock`);
  if (Buffer.byteLength(path) <= SOCKET_PATH_BYTES_MAX) return path;
  return join(privateFolder(hash), `${name}.sock`);
}

function realPath(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    // It does not exist yet, so no service runs from it.
    return resolve(folder);
  }
}

/** Anyone may write to the folder for temporary files, so a folder found there is checked before it is trusted. */
function privateFolder(hash: string): string {
  const { uid } = userInfo();
  const folder = join(tmpdir(), `tollbook-${uid}-${hash}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const found = lstatSync(folder);
  if (!found.isDirectory() || found.uid !== uid || (found.mode & 0o077) !== 0)
    throw new Error(`${folder} belongs to someone else or is open to others; remove it and start again.`);
  return folder;
}
