import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { TollbookError } from '../../domain/errors.ts';
import { createCipher, type TextCipher } from '../../lib/crypto/cipher.ts';
import { createFile, replaceFile } from '../../lib/fs/files.ts';
import type { RecordDb, RecordTransaction } from './tables.ts';
import { requireSharedSecret } from '../require-secret.ts';
import { CHECK, CHECK_TEXT, opensCheck, SecretVault } from './vault.ts';
import { type Actor, audited } from './audit.ts';
import type { RecordContext } from './context.ts';
import { secretPlace, urlPlace } from './webhooks.ts';

/** The master secret lives in SVC_SECRET, or in this file of the data folder. */
const FILE = 'secret';
/** A rotation writes the new secret here first; the commit in the database decides which of the two is valid. */
const NEXT_FILE = 'secret.next';
const SECRET_BYTES = 32;
const SALT_BYTES = 16;
/** Setting that each cipher is made with. */
const SALT = 'secret.salt';

function newMasterSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

interface SealedCheck {
  readonly cipher: TextCipher;
  readonly salt: string;
  readonly check: string;
}

/** Returns the settings that recognize a master secret. */
function sealCheck(secret: string, salt: string = randomBytes(SALT_BYTES).toString('base64url')): SealedCheck {
  const cipher = createCipher(secret, salt);
  return { cipher, salt, check: cipher.seal(CHECK_TEXT, CHECK) };
}

/** Origin of the master secret: the environment, or the file in this data folder. */
export interface SecretOrigin {
  readonly dataDir: string;
  /** SVC_SECRET; null = the file, which is created for a new database. */
  readonly secret: string | null;
  /** SVC_SECRET_NEXT: the secret that a rotation changes to, or has changed to. */
  readonly nextSecret: string | null;
  /** Several processes use the database, each with its own folder. */
  readonly shared: boolean;
}

/** Opens the vault. Throws a `TollbookError` when the secret is missing or does not match the stored data. */
export async function openVault(db: RecordDb, origin: SecretOrigin): Promise<SecretVault> {
  if (origin.shared) requireSharedSecret(origin.secret);
  const { salt, check } = await readOrCreateCheck(db, origin);
  if (origin.secret === null) return openWithFiles(origin.dataDir, salt, check);
  const given = [origin.secret, ...(origin.nextSecret === null ? [] : [origin.nextSecret])];
  const ciphers = given.map((secret) => createCipher(secret, salt));
  const current = ciphers.find((cipher) => opensCheck(cipher, check));
  if (current) {
    const others = ciphers.filter((cipher) => cipher !== current);
    return new SecretVault(current, origin.shared ? { check, others } : null);
  }
  throw new TollbookError(
    'unavailable',
    `SVC_SECRET does not fit this ${origin.shared ? 'database' : 'data folder'}: its secrets were sealed with another one. ` +
      'Start with the one that was used before (leave SVC_SECRET unset if it was the file in the folder); ' +
      'to change it, use: tollbook secret rotate',
  );
}

/** In a transaction, because several processes may open a new database concurrently. */
async function readOrCreateCheck(db: RecordDb, origin: SecretOrigin): Promise<Omit<SealedCheck, 'cipher'>> {
  return await db.transaction().execute(async (tx) => {
    const rows = await tx.selectFrom('settings').selectAll().where('name', 'in', [SALT, CHECK]).execute();
    const salt = rows.find(({ name }) => name === SALT)?.value;
    const check = rows.find(({ name }) => name === CHECK)?.value;
    if (salt !== undefined && check !== undefined) return { salt, check };
    const made = sealCheck(origin.secret ?? firstSecret(origin.dataDir));
    const values = [
      { name: SALT, value: made.salt },
      { name: CHECK, value: made.check },
    ];
    await tx.insertInto('settings').values(values).execute();
    return made;
  });
}

function firstSecret(dataDir: string): string {
  createFile(join(dataDir, FILE), newMasterSecret());
  return readSecret(dataDir, FILE) ?? missing(dataDir);
}

function openWithFiles(dataDir: string, salt: string, check: string): SecretVault {
  const opens = (secret: string): SecretVault | null => {
    const cipher = createCipher(secret, salt);
    return opensCheck(cipher, check) ? new SecretVault(cipher) : null;
  };
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
  origin: SecretOrigin,
  given: string | null,
  actor: Actor,
): Promise<{ setByOperator: boolean }> {
  const { dataDir, shared } = origin;
  const fromEnvironment = origin.secret !== null;
  const secret = chooseNewSecret(origin, given);
  if (!fromEnvironment) stageSecret(dataDir, secret);
  // Where this fails, the staged file stays: the next start finds out which of the two fits, and clears up.
  await resealAll(context, secret, actor, shared);
  if (!fromEnvironment) promoteSecret(dataDir);
  return { setByOperator: fromEnvironment };
}

function chooseNewSecret({ secret, nextSecret, shared }: SecretOrigin, given: string | null): string {
  const chosen = given?.trim() ?? nextSecret ?? (secret === null ? newMasterSecret() : null);
  if (chosen === '') throw new TollbookError('invalid', 'The new secret is empty.', 'secret');
  // Processes that don't know it could read nothing any more.
  if (shared && (chosen === null || chosen !== nextSecret))
    throw new TollbookError(
      'invalid',
      'Set SVC_SECRET_NEXT to the new secret for each process that uses this database, restart them one by one, then rotate.',
      'secret',
    );
  if (chosen === null)
    throw new TollbookError(
      'invalid',
      'The secret comes from SVC_SECRET, so give the new one and set it there.',
      'secret',
    );
  return chosen;
}

async function resealAll(context: RecordContext, secret: string, actor: Actor, shared: boolean): Promise<void> {
  let undo = (): void => {};
  try {
    await audited(context, actor, async (tx, note) => {
      // Other processes know the ciphers of both secrets beforehand, so the salt stays.
      const sealed = sealCheck(secret, shared ? await readSalt(tx) : undefined);
      await resealRecords(tx, context.vault, sealed);
      const { cipher, check } = sealed;
      await note({ workspaceId: null, action: 'secret.rotate', subject: 'secret', before: null, after: null });
      // Inside the transaction: the next one to seal something waits for it, and must use the new cipher.
      undo = context.vault.replace(cipher, check);
    });
  } catch (error) {
    undo();
    throw error;
  }
}

async function resealRecords(
  tx: RecordTransaction,
  vault: SecretVault,
  { cipher, salt, check }: SealedCheck,
): Promise<void> {
  await resealKeys(tx, 'provider_keys', vault, cipher);
  await resealKeys(tx, 'admin_keys', vault, cipher);
  await resealFormerKeys(tx, vault, cipher);
  await resealWebhooks(tx, vault, cipher);
  await tx.updateTable('settings').set({ value: salt }).where('name', '=', SALT).execute();
  await tx.updateTable('settings').set({ value: check }).where('name', '=', CHECK).execute();
}

/** Returns true if a database is sealed with this secret, or not sealed yet. */
export async function fitsSecret(db: RecordDb, secret: string): Promise<boolean> {
  const rows = await db.selectFrom('settings').selectAll().where('name', 'in', [SALT, CHECK]).execute();
  const salt = rows.find(({ name }) => name === SALT)?.value;
  const check = rows.find(({ name }) => name === CHECK)?.value;
  return salt === undefined || check === undefined || opensCheck(createCipher(secret, salt), check);
}

/** Encrypts every secret of a database again, which the secret in a data folder opens so far. */
export async function resealFromFolder(tx: RecordTransaction, folderVault: SecretVault, secret: string): Promise<void> {
  await resealRecords(tx, folderVault, sealCheck(secret, await readSalt(tx)));
}

async function readSalt(tx: RecordTransaction): Promise<string> {
  return (await tx.selectFrom('settings').select('value').where('name', '=', SALT).executeTakeFirstOrThrow()).value;
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
