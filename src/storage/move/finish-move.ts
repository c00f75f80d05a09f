import type { Clock } from '../../lib/clock.ts';
import { audit } from '../records/audit.ts';
import { documentFiles, documentRows } from '../records/documents.ts';
import { journalSettings } from '../records/journal.ts';
import { fitsSecret, openVault, resealFromFolder } from '../records/master-secret.ts';
import type { RecordTransaction } from '../records/tables.ts';
import { noteMoveDone } from './postgres-target.ts';
import type { MoveSides } from './copy-tables.ts';

export interface FinishOptions {
  /** Id of the move. */
  readonly id: string;
  /** Folder of the ledger file, with its documents and perhaps its master secret. */
  readonly dataDir: string;
  /** SVC_SECRET: encrypts the secrets in the new database. */
  readonly secret: string;
  /** Distinguishes the notes of the node with this folder from those of others. */
  readonly place: string;
  readonly clock: Clock;
}

/** Completes a database that has all rows: services may open it afterwards. */
export async function finishMove({ source, target }: MoveSides, options: FinishOptions): Promise<void> {
  const { id, dataDir, secret, place, clock } = options;
  const { db } = target;
  await target.continueNumbers(source.tables);
  await target.countForPlans(source.tables);
  const origin = { dataDir, secret: null, nextSecret: null, shared: false };
  const folderVault = (await fitsSecret(db, secret)) ? null : await openVault(db, origin);
  await db.transaction().execute(async (tx) => {
    if (folderVault) await resealFromFolder(tx, folderVault, secret);
    await takeDocuments(tx, dataDir);
    await renameJournalNotes(tx, place);
    const after = { database: 'postgres' };
    await audit(tx, clock(), 'owner', {
      workspaceId: null,
      action: 'ledger.move',
      subject: 'ledger',
      before: { database: 'sqlite' },
      after,
    });
    await noteMoveDone(tx, id);
  });
}

/** Stores the documents of a folder as rows. */
async function takeDocuments(tx: RecordTransaction, folder: string): Promise<void> {
  const [files, rows] = [documentFiles(folder), documentRows(tx)];
  for (const name of ['providers.json', 'prices.json', 'price-update.json'] as const) {
    const text = await files.read(name);
    if (text !== null) await rows.write(name, text);
  }
}

/** Several nodes have notes in one database, so those of this one get its name. */
async function renameJournalNotes(tx: RecordTransaction, place: string): Promise<void> {
  const names = journalSettings(place);
  for (const [index, alone] of journalSettings('').entries()) {
    const name = names[index] ?? alone;
    await tx.updateTable('settings').set({ name }).where('name', '=', alone).execute();
  }
}
