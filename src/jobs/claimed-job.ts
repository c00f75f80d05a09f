import { type Clock, type Scheduler, systemScheduler } from '../lib/clock.ts';
import { type JobClaim, runUnderClaim } from '../storage/current-claims.ts';
import type { Records } from '../storage/records/records.ts';
import type { Job } from './schedule.ts';

/** A claim of a process that died ends after this. One that works renews its claim for as long as it does. */
const HELD_MS = 2 * 60_000;
const RENEW_MS = 30_000;
/** Time after which a job that waits for its claim tries again. */
const BUSY_MS = 10_000;
/** Tolerance for uneven timers. */
const EARLY_MS = 15_000;

interface ClaimParts {
  readonly records: { readonly jobs: Records['jobs'] };
  readonly clock: Clock;
  /** Time that all processes on the database share. Default: `clock`. */
  readonly claimTime?: (() => Promise<number>) | null;
  readonly runner: string;
  /** Default: the system's timers. */
  readonly scheduler?: Scheduler;
}

interface JobTurns {
  /** Minimum time between two runs, by any process; 0 = whenever it is poked and not running. */
  readonly apartMs: number;
  /** Wait for the end of a run by another process, which may be past what changed. */
  readonly waits?: boolean;
}

/** Wraps a job so that only one of the processes on a database runs each turn. Default: one turn per interval. */
export function claimedJob(parts: ClaimParts, job: Job, turns: JobTurns = { apartMs: job.everyMs }): Job {
  return {
    ...job,
    async run(signal) {
      const claim = await claimTurn(parts, job.name, turns, signal);
      if (!claim) return;
      try {
        await keepClaim(parts, claim, signal, job.run);
      } catch (error) {
        if (!signal.aborted) throw error;
      } finally {
        await parts.records.jobs.done(claim);
      }
    },
  };
}

async function claimTurn(
  parts: ClaimParts,
  name: string,
  { apartMs, waits = false }: JobTurns,
  signal: AbortSignal,
): Promise<JobClaim | null> {
  const {
    records: { jobs },
    runner,
    scheduler = systemScheduler,
  } = parts;
  for (;;) {
    const now = await readClaimTime(parts);
    const claim = await jobs.claim({ name, runner, now, until: now + HELD_MS, dueBefore: now - apartMs + EARLY_MS });
    if (claim || !waits || signal.aborted) return claim;
    await pause(scheduler, BUSY_MS, signal);
  }
}

/** Processes whose clocks differ must agree on when a claim ends. */
async function readClaimTime({ clock, claimTime }: ClaimParts): Promise<number> {
  return (await claimTime?.()) ?? clock();
}

/** Resolves after a while, or when the signal aborts. */
function pause(scheduler: Scheduler, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      callOff();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const callOff = scheduler.later(end, ms);
    signal.addEventListener('abort', end, { once: true });
  });
}

/** Runs work under a claim, and renews the claim meanwhile. Aborts the work, and throws, if another one replaced it. */
async function keepClaim(
  parts: ClaimParts,
  claim: JobClaim,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const {
    records: { jobs },
    scheduler = systemScheduler,
  } = parts;
  const lost = new AbortController();
  let isWorking = true;
  let renewal = Promise.resolve();
  let callOff = (): void => {};
  const renewLater = (): void => {
    callOff = scheduler.later(() => {
      renewal = renew();
    }, RENEW_MS);
  };
  const renew = async (): Promise<void> => {
    // A database that can't be reached may still hold the claim.
    const renewed = readClaimTime(parts).then((now) => jobs.renew(claim, now + HELD_MS));
    const isHeld = await renewed.catch(() => true);
    if (!isHeld) lost.abort();
    else if (isWorking) renewLater();
  };
  renewLater();
  try {
    await runUnderClaim(claim, () => work(AbortSignal.any([signal, lost.signal])));
  } finally {
    isWorking = false;
    callOff();
    // It must not arrive after the end of the claim.
    await renewal;
  }
  if (lost.signal.aborted) throw new Error('Another process has taken over this job.');
}

/** Runs the part of a job for one connection, unless another process is running it. */
export async function holdConnection(
  parts: ClaimParts,
  job: string,
  id: string,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const { records, runner } = parts;
  const now = await readClaimTime(parts);
  const wanted = { name: `${job}:${id}`, runner, now, until: now + HELD_MS, dueBefore: now + 1 };
  const claim = await records.jobs.claim(wanted);
  if (!claim) return;
  try {
    await keepClaim(parts, claim, signal, work);
  } finally {
    await records.jobs.release(claim);
  }
}
