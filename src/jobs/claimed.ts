import type { Clock } from '../lib/clock.ts';
import type { Records } from '../storage/records/records.ts';
import type { Job } from './schedule.ts';

/** Longest claim on a job, in case its process dies. */
const HELD_MS_MAX = 15 * 60_000;
/** Tolerance for uneven timers. */
const EARLY_MS = 15_000;

interface ClaimParts {
  readonly records: Pick<Records, 'jobs'>;
  readonly clock: Clock;
  readonly runner: string;
}

/**
 * Wraps a job so that only one of the processes on a store runs each turn.
 * @param apartMs minimum time between two runs; 0 = whenever it is poked and not running
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

/** Longest claim on a connection, in case its process dies. A turn ends well before. */
const CONNECTION_HELD_MS_MAX = 15 * 60_000;

interface HoldParts {
  readonly records: { readonly jobs: Records['jobs'] };
  readonly clock: Clock;
  readonly runner: string;
}

/** Runs the part of a job for one connection, unless another process is running it. */
export async function holdConnection(
  { records: { jobs }, clock, runner }: HoldParts,
  job: string,
  id: string,
  work: () => Promise<void>,
): Promise<void> {
  const name = `${job}:${id}`;
  const now = clock();
  if (!(await jobs.claim(name, runner, now, now + CONNECTION_HELD_MS_MAX, now + 1))) return;
  try {
    await work();
  } finally {
    await jobs.release(name, runner);
  }
}
