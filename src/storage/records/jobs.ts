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

/** Who runs a job, where several processes could: the work of one turn is done once. */
export interface JobRecords {
  /** Claims a job that last began before `dueBefore` and that nobody holds, until a time; false = it is not to be had. */
  claim(name: string, runner: string, now: number, until: number, dueBefore: number): Promise<boolean>;
  /** Nobody holds any job: for whoever is alone on a store. */
  freeAll(): Promise<void>;
  /** The turn is over. */
  done(name: string, runner: string): Promise<void>;
  /** The same of what is held and has no turns: nothing is left of it. */
  release(name: string, runner: string): Promise<void>;
}
