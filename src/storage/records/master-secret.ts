import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { TollbookError } from '../../domain/errors.ts';
import { type TextCipher, createCipher } from '../../lib/crypto/cipher.ts';
import { createFile, replaceFile } from '../../lib/fs/files.ts';
import type { RecordDb } from './tables.ts';
import { tryOpen, SecretVault } from './vault.ts';

/** The master secret lives in SVC_SECRET, or in this file of the data folder. */
const FILE = 'secret';
/** A rotation writes the new one here first; the commit of the database decides which of the two is right. */
const NEXT_FILE = 'secret.next';
const SECRET_BYTES = 32;
const SALT_BYTES = 16;
/** Settings that tell whether a master secret fits. */
export const SALT = 'secret.salt';
export const CHECK = 'secret.check';
const CHECK_TEXT = 'tollbook';

export function newMasterSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/** What the settings hold for a master secret. */
export function sealCheck(secret: string): { cipher: TextCipher; salt: string; check: string } {
  const salt = randomBytes(SALT_BYTES).toString('base64url');
  const cipher = createCipher(secret, salt);
  return { cipher, salt, check: cipher.seal(CHECK_TEXT, CHECK) };
}

/**
 * Opens the vault with SVC_SECRET (`given`), else with the data folder's own secret, which is made for a new database.
 * Throws a `TollbookError` when the secret does not fit what is stored.
 */
export async function openVault(db: RecordDb, dataDir: string, given: string | null): Promise<SecretVault> {
  const rows = await db.selectFrom('settings').selectAll().where('name', 'in', [SALT, CHECK]).execute();
  const salt = rows.find(({ name }) => name === SALT)?.value;
  const check = rows.find(({ name }) => name === CHECK)?.value;
  if (salt === undefined || check === undefined) return firstVault(db, given ?? firstSecret(dataDir));
  const opens = (secret: string): SecretVault | null => {
    const cipher = createCipher(secret, salt);
    return tryOpen(cipher, check, CHECK) === CHECK_TEXT ? new SecretVault(cipher) : null;
  };
  const vault = given === null ? openWithFiles(dataDir, opens) : opens(given);
  if (vault) return vault;
  throw new TollbookError(
    'unavailable',
    'SVC_SECRET does not fit this data folder: its secrets were sealed with another one. ' +
      'Start with the one that was used before (leave SVC_SECRET unset if it was the file in the folder); ' +
      'to change it, use: tollbook secret rotate',
  );
}

async function firstVault(db: RecordDb, secret: string): Promise<SecretVault> {
  const { cipher, salt, check } = sealCheck(secret);
  const values = [
    { name: SALT, value: salt },
    { name: CHECK, value: check },
  ];
  await db.insertInto('settings').values(values).execute();
  return new SecretVault(cipher);
}

function firstSecret(dataDir: string): string {
  createFile(join(dataDir, FILE), newMasterSecret());
  return readSecret(dataDir, FILE) ?? missing(dataDir);
}

function openWithFiles(dataDir: string, opens: (secret: string) => SecretVault | null): SecretVault {
  const current = readSecret(dataDir, FILE);
  const next = readSecret(dataDir, NEXT_FILE);
  const vault = current === null ? null : opens(current);
  if (vault) {
    rmSync(join(dataDir, NEXT_FILE), { force: true });
    return vault;
  }
  const rotated = next === null ? null : opens(next);
  if (rotated) {
    promoteSecret(dataDir);
    return rotated;
  }
  if (current === null) return missing(dataDir);
  throw new TollbookError(
    'unavailable',
    `The file ${join(dataDir, FILE)} does not fit this data folder: its secrets were sealed with another one. ` +
      'Put the right file back, or set SVC_SECRET if that was used before.',
  );
}

function missing(dataDir: string): never {
  throw new TollbookError(
    'unavailable',
    `The file ${join(dataDir, FILE)} is missing, and without it nothing that is sealed in the database can be read. ` +
      'Put it back from a backup, or set SVC_SECRET if that was used before.',
  );
}

/** First step of a rotation of the folder's own secret. */
export function stageSecret(dataDir: string, secret: string): void {
  replaceFile(join(dataDir, NEXT_FILE), secret);
}

/** Last step, after the database is committed. A crash before it is made good at the next start. */
export function promoteSecret(dataDir: string): void {
  renameSync(join(dataDir, NEXT_FILE), join(dataDir, FILE));
}

/** null = there is no such file, or it is empty. */
function readSecret(dataDir: string, file: string): string | null {
  try {
    return readFileSync(join(dataDir, file), 'utf8').trim() || null;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
