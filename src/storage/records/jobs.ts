import { type JobClaim, runWithoutClaims } from '../current-claims.ts';
import type { RecordContext } from './context.ts';
import { nodeRunners } from './runner.ts';

/** A claim that is wanted. */
interface WantedClaim {
  readonly name: string;
  /** Id of the process (`newRunnerId`). */
  readonly runner: string;
  readonly now: number;
  readonly until: number;
  /** Only if the last turn began before this. */
  readonly dueBefore: number;
}

/** Claims on jobs, so that only one of several processes runs each turn. They are not themselves part of a job. */
export interface JobRecords {
  /** Claims an unclaimed job; null = not available. */
  claim(wanted: WantedClaim): Promise<JobClaim | null>;
  /** Prolongs a claim; false = another one has replaced it. */
  renew(claim: JobClaim, until: number): Promise<boolean>;
  /** Ends a claim after a turn. */
  done(claim: JobClaim): Promise<void>;
  /** Deletes a claim on something that has no turns. */
  release(claim: JobClaim): Promise<void>;
  /** Ends the claims of earlier runs of a node; null = of all, for a process that is alone on its database. */
  free(nodeId: string | null): Promise<void>;
}

export function jobRecords({ db }: RecordContext): JobRecords {
  let claims = 0;
  const update = ({ name, holder }: JobClaim) =>
    db.updateTable('jobs').where('name', '=', name).where('claimed_by', '=', holder);
  return {
    async claim({ name, runner, now, until, dueBefore }) {
      const wrong = until + (until - now);
      const holder = `${runner}#${(claims += 1)}`;
      const row = { name, claimed_by: holder, claimed_until: until, ran_at: now };
      // One statement, so that of several runners only one gets it.
      const insert = db.insertInto('jobs').values(row);
      const claim = insert.onConflict((conflict) =>
        conflict
          .column('name')
          .doUpdateSet(row)
          // A time beyond any claim was written while the clock was wrong: it holds nothing up.
          .where((or) => or.or([or('jobs.claimed_until', '<=', now), or('jobs.claimed_until', '>', wrong)]))
          .where((or) => or.or([or('jobs.ran_at', '<', dueBefore), or('jobs.ran_at', '>', until)])),
      );
      const claimed = await runWithoutClaims(() => claim.returning('name').executeTakeFirst());
      return claimed ? { name, holder } : null;
    },
    async renew(claim, until) {
      const renewal = update(claim).set({ claimed_until: until }).returning('name');
      return (await runWithoutClaims(() => renewal.executeTakeFirst())) !== undefined;
    },
    async done(claim) {
      await runWithoutClaims(() => update(claim).set({ claimed_until: 0 }).execute());
    },
    async release({ name, holder }) {
      const deletion = db.deleteFrom('jobs').where('name', '=', name).where('claimed_by', '=', holder);
      await runWithoutClaims(() => deletion.execute());
    },
    async free(nodeId) {
      const freed = db.updateTable('jobs').set({ claimed_until: 0 });
      if (nodeId === null) return void (await freed.execute());
      const { first, end } = nodeRunners(nodeId);
      await freed.where('claimed_by', '>=', first).where('claimed_by', '<', end).execute();
    },
  };
}
