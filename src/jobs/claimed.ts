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

/** Who died holds a connection no longer than this; what is done of it at a time ends well before. */
const CONNECTION_HELD_MS_MAX = 15 * 60_000;

interface HoldParts {
  readonly records: { readonly jobs: Records['jobs'] };
  readonly clock: Clock;
  readonly runner: string;
}

/** Does the part of a job that is of one connection, unless somebody else does just that. */
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
