import type { Clock } from '../lib/clock.ts';
import type { Records } from '../storage/records/records.ts';

/** Who died holds a connection no longer than this; what is done of it at a time ends well before. */
const HELD_MS_MAX = 15 * 60_000;

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
  if (!(await jobs.claim(name, runner, now, now + HELD_MS_MAX, now + 1))) return;
  try {
    await work();
  } finally {
    await jobs.release(name, runner);
  }
}
