import { type Actor, audited } from './audit.ts';
import type { RecordContext } from './context.ts';
import type { RecordDb } from './tables.ts';

/** Which journal the ledger takes calls from. Without it, one that was deleted would look like one that never was. */
export interface JournalRecords {
  /** Id of the journal that calls were last taken from; null = the next start may begin one. */
  last(): Promise<string | null>;
  /** Calls are taken from this journal from now on. */
  adopt(journalId: string): Promise<void>;
  /** Gives up a journal that is lost, so that the next start begins another. */
  renew(actor: Actor): Promise<void>;
}

/** Read in another way, too, before the ledger is opened: see `readLastJournal`. */
export const LAST_JOURNAL = 'journal.last';

export function journalRecords(context: RecordContext): JournalRecords {
  const { db } = context;
  return {
    last: () => readLast(db),
    async adopt(journalId) {
      await db
        .insertInto('settings')
        .values({ name: LAST_JOURNAL, value: journalId })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: journalId }))
        .execute();
    },
    renew: (actor) =>
      audited(context, actor, async (tx, note) => {
        const journalId = await readLast(tx);
        await tx.deleteFrom('settings').where('name', '=', LAST_JOURNAL).execute();
        await note({
          workspaceId: null,
          action: 'journal.renew',
          subject: 'journal',
          before: { journalId },
          after: null,
        });
      }),
  };
}

async function readLast(db: RecordDb): Promise<string | null> {
  const row = await db.selectFrom('settings').select('value').where('name', '=', LAST_JOURNAL).executeTakeFirst();
  return row?.value ?? null;
}
