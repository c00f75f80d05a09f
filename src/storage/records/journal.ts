import { type Actor, audited } from './audit.ts';
import type { RecordContext } from './context.ts';
import type { RecordDb } from './tables.ts';

/**
 * The journal that the ledger takes calls from. Without this record, a deleted journal would look like a first start.
 */
export interface JournalRecords {
  /** Returns the id of the last journal; null = the next start may create one. */
  last(): Promise<string | null>;
  /** Records the journal that calls are taken from. */
  adopt(journalId: string): Promise<void>;
  /** Notes how far the journal was seen to go. */
  noteEnd(end: JournalEnd): Promise<void>;
  /** Gives up a lost journal, so that the next start creates a new one. */
  renew(actor: Actor): Promise<void>;
}

/** Facts about the journal that calls were taken from last. */
export interface JournalNotes {
  /** Its id; null = none yet. */
  readonly last: string | null;
  /** Last known position of a journal; null = nothing is known. */
  readonly end: JournalEnd | null;
}

/** Settings with these facts, which are also read before the ledger is open. */
export const LAST_JOURNAL = 'journal.last';
export const JOURNAL_END = 'journal.end';

/** Last known position of a journal. */
interface JournalEnd {
  readonly journalId: string;
  readonly segment: number;
  readonly offset: number;
}

/** Reads the facts from settings. */
export function parseJournalNotes(settings: ReadonlyMap<string, string>): JournalNotes {
  const [journalId = '', segment, offset] = settings.get(JOURNAL_END)?.split(' ') ?? [];
  const end = offset === undefined ? null : { journalId, segment: Number(segment), offset: Number(offset) };
  return { last: settings.get(LAST_JOURNAL) ?? null, end };
}

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
    async noteEnd({ journalId, segment, offset }) {
      const value = `${journalId} ${segment} ${offset}`;
      await db
        .insertInto('settings')
        .values({ name: JOURNAL_END, value })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
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
