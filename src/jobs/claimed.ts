import type { Clock } from '../lib/clock.ts';
import type { Records } from '../storage/records/records.ts';
import type { Job } from './schedule.ts';

/** Who died holds a job no longer than this. */
const HELD_MS_MAX = 15 * 60_000;
/** Timers are never quite even. */
const EARLY_MS = 15_000;

interface ClaimParts {
  readonly records: Pick<Records, 'jobs'>;
  readonly clock: Clock;
  readonly runner: string;
}

/**
 * A job that one of the processes on a store runs at each turn, whoever is first.
 * @param apartMs it runs no sooner after the run before, poked or not; 0 = whenever it is poked and nobody runs it
 */
export function claimedJob({ records: { jobs }, clock, runner }: ClaimParts, job: Job, apartMs = job.everyMs): Job {
  return {
    ...job,
    async run(signal) {
      const now = clock();
      if (!(await jobs.claim(job.name, runner, now, now + HELD_MS_MAX, now - apartMs + EARLY_MS))) return;
      try {
        await job.run(signal);
      } catch (error) {
        if (!signal.aborted) throw error;
      } finally {
        await jobs.done(job.name, runner);
      }
    },
  };
}
