import { type Actor, audited } from './audit.ts';
import { ownSetting, type RecordContext } from './context.ts';
import type { RecordDb } from './tables.ts';

/**
 * The journal that the ledger takes calls from. Without this record, a deleted journal would look like a first start.
 */
export interface JournalRecords {
  /**
   * Returns the id of the last journal; null = the next start may create one.
   * @param of distinguishes the journal of a worker; default: that of the service
   */
  last(of?: string): Promise<string | null>;
  /** Lists workers whose journals are known, by number. */
  workers(): Promise<number[]>;
  /** Records the journal that calls are taken from. */
  adopt(journalId: string, of?: string): Promise<void>;
  /** Notes how far the journal was seen to go. */
  noteEnd(end: JournalEnd, of?: string): Promise<void>;
  /** Gives up a lost journal, so that the next start creates a new one. Workers' journals too, because each may be the lost one. */
  renew(actor: Actor): Promise<void>;
}

/** Facts about the journal that calls were taken from last. */
export interface JournalNotes {
  /** Its id; null = none yet. */
  readonly last: string | null;
  /** Last known position of a journal; null = nothing is known. */
  readonly end: JournalEnd | null;
}

const LAST_JOURNAL = 'journal.last';
const JOURNAL_END = 'journal.end';
/** Distinguishes the notes of workers. */
const WORKER = 'worker';
const WORKERS_LAST = `${LAST_JOURNAL} ${WORKER} %`;

/** Returns what distinguishes the notes of a worker's journal. */
export function workerPlace(worker: number): string {
  return `${WORKER} ${worker}`;
}

/** Returns the names of the settings with these facts, which are also read before the ledger is open. */
export function journalSettings(place: string): readonly [last: string, end: string] {
  return [ownSetting(LAST_JOURNAL, place), ownSetting(JOURNAL_END, place)];
}

/** Deletes the notes of nodes that were forgotten. */
export async function forgetJournals(db: RecordDb, journalIds: readonly string[]): Promise<void> {
  for (const id of journalIds) {
    const notes = db.deleteFrom('settings').where('name', 'like', 'journal.%');
    await notes.where((or) => or.or([or('value', '=', id), or('value', 'like', `${id} %`)])).execute();
  }
}

/** Last known position of a journal. */
interface JournalEnd {
  readonly journalId: string;
  readonly segment: number;
  readonly offset: number;
}

/** Reads the facts from settings. */
export function parseJournalNotes(settings: ReadonlyMap<string, string>, place: string): JournalNotes {
  const [lastName, endName] = journalSettings(place);
  const [journalId = '', segment, offset] = settings.get(endName)?.split(' ') ?? [];
  const end = offset === undefined ? null : { journalId, segment: Number(segment), offset: Number(offset) };
  return { last: settings.get(lastName) ?? null, end };
}

export function journalRecords(context: RecordContext): JournalRecords {
  const { db, place } = context;
  const [lastName] = journalSettings(place);
  const put = async (name: string, value: string): Promise<void> => {
    const insert = db.insertInto('settings').values({ name, value });
    await insert.onConflict((conflict) => conflict.column('name').doUpdateSet({ value })).execute();
  };
  return {
    last: (of = place) => readNote(db, journalSettings(of)[0]),
    async workers() {
      const rows = await db.selectFrom('settings').select('name').where('name', 'like', WORKERS_LAST).execute();
      return rows.map(({ name }) => Number(name.slice(WORKERS_LAST.length - 1)));
    },
    adopt: (journalId, of = place) => put(journalSettings(of)[0], journalId),
    noteEnd: ({ journalId, segment, offset }, of = place) =>
      put(journalSettings(of)[1], `${journalId} ${segment} ${offset}`),
    renew: (actor) =>
      audited(context, actor, async (tx, note) => {
        const journalId = await readNote(tx, lastName);
        const notes = tx.deleteFrom('settings');
        const ofWorkers = place === '' ? WORKERS_LAST : '';
        await notes.where((or) => or.or([or('name', '=', lastName), or('name', 'like', ofWorkers)])).execute();
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

async function readNote(db: RecordDb, name: string): Promise<string | null> {
  const row = await db.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst();
  return row?.value ?? null;
}
