import type { RecordContext } from './context.ts';

export function jobRecords({ db }: RecordContext): JobRecords {
  return {
    async claim(name, runner, now, until, dueBefore) {
      const wrong = until + (until - now);
      const row = { name, claimed_by: runner, claimed_until: until, ran_at: now };
      // One statement, so that of several runners only one gets it.
      const claimed = await db
        .insertInto('jobs')
        .values(row)
        .onConflict((conflict) =>
          conflict
            .column('name')
            .doUpdateSet(row)
            // A time beyond any claim was written while the clock was wrong: it holds nothing up.
            .where((or) => or.or([or('jobs.claimed_until', '<=', now), or('jobs.claimed_until', '>', wrong)]))
            .where((or) => or.or([or('jobs.ran_at', '<', dueBefore), or('jobs.ran_at', '>', until)])),
        )
        .returning('name')
        .executeTakeFirst();
      return claimed !== undefined;
    },
    async freeAll() {
      await db.updateTable('jobs').set({ claimed_until: 0 }).execute();
    },
    async done(name, runner) {
      const update = db.updateTable('jobs').set({ claimed_until: 0 }).where('name', '=', name);
      await update.where('claimed_by', '=', runner).execute();
    },
    async release(name, runner) {
      await db.deleteFrom('jobs').where('name', '=', name).where('claimed_by', '=', runner).execute();
    },
  };
}

/** Claims on jobs, so that only one of several processes runs each turn. */
export interface JobRecords {
  /** Claims an unclaimed job that last started before `dueBefore`, until a time; false = not available. */
  claim(name: string, runner: string, now: number, until: number, dueBefore: number): Promise<boolean>;
  /** Releases all claims. For a process that is alone on its store. */
  freeAll(): Promise<void>;
  /** Ends the claim after a turn. */
  done(name: string, runner: string): Promise<void>;
  /** Deletes the claim on something that has no turns. */
  release(name: string, runner: string): Promise<void>;
}
