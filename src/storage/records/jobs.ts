import type { RecordContext } from './context.ts';
import type { JobRecords } from './job-records.ts';

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
