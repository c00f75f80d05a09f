import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { TollbookError } from '../../domain/errors.ts';
import { createCipher, type TextCipher } from '../../lib/crypto/cipher.ts';
import { createFile, replaceFile } from '../../lib/fs/files.ts';
import type { RecordDb, RecordTransaction } from './tables.ts';
import { SecretVault, tryOpen } from './vault.ts';
import { type Actor, audited } from './audit.ts';
import type { RecordContext } from './context.ts';
import { secretPlace, urlPlace } from './webhooks.ts';

/** The master secret lives in SVC_SECRET, or in this file of the data folder. */
const FILE = 'secret';
/** A rotation writes the new secret here first; the commit in the database decides which of the two is valid. */
const NEXT_FILE = 'secret.next';
const SECRET_BYTES = 32;
const SALT_BYTES = 16;
/** Settings that show whether a master secret is the right one. */
const SALT = 'secret.salt';
const CHECK = 'secret.check';
const CHECK_TEXT = 'tollbook';

function newMasterSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/** Returns the settings that recognize a master secret. */
function sealCheck(secret: string): { cipher: TextCipher; salt: string; check: string } {
  const salt = randomBytes(SALT_BYTES).toString('base64url');
  const cipher = createCipher(secret, salt);
  return { cipher, salt, check: cipher.seal(CHECK_TEXT, CHECK) };
}

/**
 * Opens the vault with SVC_SECRET (`given`) or the secret in the data folder, which is created for a new database.
 * Throws a `TollbookError` when the secret does not match the stored data.
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
function stageSecret(dataDir: string, secret: string): void {
  replaceFile(join(dataDir, NEXT_FILE), secret);
}

/** Last step, after the database commit. After a crash, the next start completes it. */
function promoteSecret(dataDir: string): void {
  renameSync(join(dataDir, NEXT_FILE), join(dataDir, FILE));
}

/** Returns null if the file is missing or empty. */
function readSecret(dataDir: string, file: string): string | null {
  try {
    return readFileSync(join(dataDir, file), 'utf8').trim() || null;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/** Origin of the master secret: SVC_SECRET, or the file in this data folder. */
export interface SecretOrigin {
  readonly dataDir: string;
  readonly fromEnvironment: boolean;
}

/**
 * Encrypts every secret again in one transaction; null = a new random secret. A secret in the data folder is replaced there.
 * With SVC_SECRET the operator sets the new one before the next start (`setByOperator`).
 */
export type RotateSecret = (newSecret: string | null, actor: Actor) => Promise<{ readonly setByOperator: boolean }>;

/** Returns the function that rotates the secret. After a crash at any moment the folder opens with the old or the new secret. */
export function secretRotation(context: RecordContext, home: SecretOrigin): RotateSecret {
  // Concurrent rotations would overwrite each other's staged file.
  let underWay = false;
  return async (given, actor) => {
    if (underWay) throw new TollbookError('conflict', 'The secret is being rotated already.');
    underWay = true;
    try {
      return await rotateMasterSecret(context, home, given, actor);
    } finally {
      underWay = false;
    }
  };
}

async function rotateMasterSecret(
  context: RecordContext,
  { dataDir, fromEnvironment }: SecretOrigin,
  given: string | null,
  actor: Actor,
): Promise<{ setByOperator: boolean }> {
  const secret = given?.trim() ?? newMasterSecret();
  if (secret === '') throw new TollbookError('invalid', 'The new secret is empty.', 'secret');
  if (fromEnvironment && given === null)
    throw new TollbookError(
      'invalid',
      'The secret comes from SVC_SECRET, so give the new one and set it there.',
      'secret',
    );
  if (!fromEnvironment) stageSecret(dataDir, secret);
  // Where this fails, the staged file stays: the next start finds out which of the two fits, and clears up.
  await resealAll(context, secret, actor);
  if (!fromEnvironment) promoteSecret(dataDir);
  return { setByOperator: fromEnvironment };
}

async function resealAll(context: RecordContext, secret: string, actor: Actor): Promise<void> {
  const { cipher, salt, check } = sealCheck(secret);
  let undo = (): void => {};
  try {
    await audited(context, actor, async (tx, note) => {
      await resealKeys(tx, 'provider_keys', context.vault, cipher);
      await resealKeys(tx, 'admin_keys', context.vault, cipher);
      await resealFormerKeys(tx, context.vault, cipher);
      await resealWebhooks(tx, context.vault, cipher);
      await tx.updateTable('settings').set({ value: salt }).where('name', '=', SALT).execute();
      await tx.updateTable('settings').set({ value: check }).where('name', '=', CHECK).execute();
      await note({ workspaceId: null, action: 'secret.rotate', subject: 'secret', before: null, after: null });
      // Inside the transaction: the next one to seal something waits for it, and must use the new cipher.
      undo = context.vault.replace(cipher);
    });
  } catch (error) {
    undo();
    throw error;
  }
}

async function resealKeys(
  tx: RecordTransaction,
  table: 'provider_keys' | 'admin_keys',
  vault: SecretVault,
  next: TextCipher,
): Promise<void> {
  for (const { id, sealed } of await tx.selectFrom(table).select(['id', 'sealed']).execute())
    if (sealed !== null)
      await tx
        .updateTable(table)
        .set({ sealed: next.seal(vault.open(sealed, id), id) })
        .where('id', '=', id)
        .execute();
}

async function resealFormerKeys(tx: RecordTransaction, vault: SecretVault, next: TextCipher): Promise<void> {
  for (const { id, sealed_ends: sealed } of await tx.selectFrom('former_provider_keys').selectAll().execute())
    if (sealed !== null)
      await tx
        .updateTable('former_provider_keys')
        .set({ sealed_ends: next.seal(vault.open(sealed, id), id) })
        .where('id', '=', id)
        .execute();
}

async function resealWebhooks(tx: RecordTransaction, vault: SecretVault, next: TextCipher): Promise<void> {
  const reseal = (sealed: string, place: string): string => next.seal(vault.open(sealed, place), place);
  for (const { id, sealed_url, sealed_secret, sealed_old_secret } of await tx
    .selectFrom('webhooks')
    .selectAll()
    .execute())
    await tx
      .updateTable('webhooks')
      .set({
        sealed_url: reseal(sealed_url, urlPlace(id)),
        sealed_secret: sealed_secret && reseal(sealed_secret, secretPlace(id)),
        sealed_old_secret: sealed_old_secret && reseal(sealed_old_secret, secretPlace(id)),
      })
      .where('id', '=', id)
      .execute();
}
