import type { Log } from '../lib/log.ts';
import { setImmediate } from 'node:timers/promises';
import { runWithoutClaims } from '../storage/current-claims.ts';
import type { Records } from '../storage/records/records.ts';
import type { Workspace } from '../storage/records/workspaces.ts';

export interface Job {
  readonly name: string;
  readonly everyMs: number;
  /** Time from a poked run to one more run, for what was on its way during the first; absent = no further run. */
  readonly repeatMs?: number;
  /** Works in small steps and stops soon after `signal` aborts. */
  run(signal: AbortSignal): Promise<void>;
}

export interface Schedule {
  /** Runs a job now, or again after the current run. */
  poke(name: string): void;
  /** Stops the schedule. Resolves when current runs have ended. */
  close(): Promise<void>;
}

/**
 * Runs each job at its interval, never concurrently with itself. A failed run is logged and repeated at the next
 * turn.
 */
export function startSchedule(jobs: readonly Job[], log: Log): Schedule {
  const stop = new AbortController();
  const runners = new Map(jobs.map((job) => [job.name, new JobRunner(job, log, stop.signal)]));
  return {
    poke: (name) => runners.get(name)?.poke(),
    async close() {
      stop.abort();
      await Promise.all([...runners.values()].map((runner) => runner.close()));
    },
  };
}

class JobRunner {
  readonly #job: Job;
  readonly #log: Log;
  readonly #signal: AbortSignal;
  readonly #timer: NodeJS.Timeout;
  #repeat: NodeJS.Timeout | null = null;
  #running: Promise<void> | null = null;
  #again = false;

  constructor(job: Job, log: Log, signal: AbortSignal) {
    this.#job = job;
    this.#log = log;
    this.#signal = signal;
    this.#timer = setInterval(() => this.#start(), job.everyMs);
  }

  poke(): void {
    if (this.#signal.aborted) return;
    this.#start();
    const { repeatMs } = this.#job;
    if (repeatMs === undefined) return;
    if (this.#repeat) clearTimeout(this.#repeat);
    this.#repeat = setTimeout(() => this.#start(), repeatMs);
  }

  #start(): void {
    if (this.#signal.aborted) return;
    if (this.#running) this.#again = true;
    // Another job may poke it.
    else this.#running = runWithoutClaims(() => this.#run());
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    if (this.#repeat) clearTimeout(this.#repeat);
    await this.#running;
  }

  async #run(): Promise<void> {
    do {
      this.#again = false;
      try {
        await this.#job.run(this.#signal);
      } catch (error) {
        this.#log.error({ job: this.#job.name, err: error }, 'a job failed; it runs again at its next turn');
      }
    } while (this.#again && !this.#signal.aborted);
    this.#running = null;
  }
}

interface WorkspaceJobParts {
  readonly records: { readonly workspaces: Pick<Records['workspaces'], 'list'> };
  readonly log: Log;
}

/** Runs `work` for each workspace in sequence. A failure is logged and does not stop the others. */
export async function forEachWorkspace(
  { records, log }: WorkspaceJobParts,
  job: string,
  signal: AbortSignal,
  work: (workspace: Workspace) => Promise<void>,
): Promise<void> {
  for (const workspace of await records.workspaces.list()) {
    if (signal.aborted) return;
    try {
      await work(workspace);
    } catch (error) {
      if (signal.aborted) return;
      log.error(
        { job, workspaceId: workspace.id, err: error },
        'a job failed for a workspace; it continues with others',
      );
    }
    await setImmediate();
  }
}
