import { TollbookError } from '../../domain/errors.ts';
import type { TextCipher } from '../../lib/crypto/cipher.ts';
import { audited } from './audit.ts';
import type { RecordContext } from './context.ts';
import { CHECK, newMasterSecret, promoteSecret, SALT, sealCheck, stageSecret } from './master-secret.ts';
import type { Actor } from './actor.ts';
import type { Records } from './records.ts';
import type { RecordTransaction } from './tables.ts';
import type { SecretVault } from './vault.ts';
import { secretPlace, urlPlace } from './webhooks.ts';

/** Where the master secret came from: SVC_SECRET, or the file in this data folder. */
export interface SecretOrigin {
  readonly dataDir: string;
  readonly fromEnvironment: boolean;
}

/** See `Records.rotateSecret`. A crash at any moment leaves a folder that opens: with the old secret or the new one. */
export function secretRotation(context: RecordContext, home: SecretOrigin): Records['rotateSecret'] {
  // Two at once would stage over each other's file.
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
