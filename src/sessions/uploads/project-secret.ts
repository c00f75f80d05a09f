import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { TollbookError } from '../../domain/errors.ts';
import { createFile } from '../../lib/fs/files.ts';
import type { HostEnvironment } from '../reading/source.ts';
import { configFolder } from './config-folder.ts';

const SECRET_BYTES = 32;
const PRIVATE_FOLDER = 0o700;

/**
 * The secret of this installation under which projects are hashed: names of folders could be guessed from a plain hash.
 * Made when it is first needed; `keep: false` makes one for this once and writes nothing.
 */
export function projectSecret(places: HostEnvironment, { keep }: { readonly keep: boolean }): string {
  const file = join(configFolder(places), 'project-secret');
  const kept = readSecret(file);
  if (kept !== null) return kept;
  const made = randomBytes(SECRET_BYTES).toString('hex');
  if (!keep) return made;
  mkdirSync(dirname(file), { recursive: true, mode: PRIVATE_FOLDER });
  // Another process may have been first: its secret is the one.
  return createFile(file, `${made}\n`) ? made : (readSecret(file) ?? made);
}

/** null = there is none. */
function readSecret(file: string): string | null {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
  if (/^[0-9a-f]{64}$/.test(text)) return text;
  throw new TollbookError(
    'unprocessable',
    `${file} holds no secret of Tollbook's. Delete it; the next sync makes another.`,
  );
}
