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
 * Returns the secret of this installation for hashing projects, because folder names could be guessed from a plain hash. It is
 * created on first use. `keep: false` creates a temporary one and writes nothing.
 */
export function projectSecret(host: HostEnvironment, { keep }: { readonly keep: boolean }): string {
  const file = join(configFolder(host), 'project-secret');
  const kept = readSecret(file);
  if (kept !== null) return kept;
  const made = randomBytes(SECRET_BYTES).toString('hex');
  if (!keep) return made;
  mkdirSync(dirname(file), { recursive: true, mode: PRIVATE_FOLDER });
  // If another process was first, its secret is used.
  return createFile(file, `${made}\n`) ? made : (readSecret(file) ?? made);
}

/** Reads the secret; null = none exists. */
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
    `${file} does not contain a valid secret. Delete it; the next sync creates a new one.`,
  );
}
