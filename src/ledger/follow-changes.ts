import { setImmediate } from 'node:timers/promises';
import type { CounterPlace } from '../domain/limits/limit.ts';
import { type Scheduler, systemScheduler } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { ChangeFeed, ChangePosition, LiveNews, RecordChange } from '../storage/change-feed.ts';

/** Changes that are read in one query. */
const READ_MAX = 500;
/** Interval at which changes are read without a hint. */
const READ_EVERY_MS = 5_000;

export interface FollowerParts {
  readonly feed: ChangeFeed;
  /** Brings this process up to date with a record. It reads the record, so it may run more than once. */
  readonly apply: (change: RecordChange) => Promise<void>;
  /** Brings this process up to date with all records: some changes are not in the feed any more. */
  readonly reload: () => Promise<void>;
  readonly news: (news: LiveNews) => void;
  readonly recalled: (places: readonly CounterPlace[]) => void;
  readonly log: Log;
  readonly scheduler?: Scheduler;
}

/**
 * Applies the changes that any node has committed, one after the other in their order. What can't be applied now is tried
 * again, and later changes wait for it.
 */
export class ChangeFollower {
  readonly #parts: FollowerParts;
  readonly #scheduler: Scheduler;
  #position: ChangePosition;
  #isStarted = false;
  #running: Promise<void> | null = null;
  #next: Promise<void> | null = null;
  #callOff = (): void => {};
  #isClosed = false;

  /** @param from place before the records were read */
  constructor(parts: FollowerParts, from: ChangePosition) {
    this.#parts = parts;
    this.#position = from;
    this.#scheduler = parts.scheduler ?? systemScheduler;
  }

  start(): void {
    this.#isStarted = true;
    const { feed, news, recalled } = this.#parts;
    feed.listen({ changed: () => this.#poke(), news, recalled });
    this.#readLater();
  }

  /** Resolves when all changes are applied that were committed before this call; at once if it has not started. */
  async caughtUp(): Promise<void> {
    if (!this.#isStarted) return;
    // A run that has begun may have read the feed before.
    this.#next ??= (this.#running ?? Promise.resolve()).catch(() => {}).then(() => this.#run());
    await this.#next;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#callOff();
    await Promise.allSettled([this.#running, this.#next]);
  }

  #poke(): void {
    this.caughtUp().catch((error: unknown) =>
      this.#parts.log.error({ err: error }, 'changes of other nodes could not be applied; it is tried again'),
    );
  }

  #readLater(): void {
    this.#callOff = this.#scheduler.later(() => {
      this.#poke();
      this.#readLater();
    }, READ_EVERY_MS);
  }

  async #run(): Promise<void> {
    this.#next = null;
    const running = this.#applyAll();
    this.#running = running;
    await running;
  }

  async #applyAll(): Promise<void> {
    const { feed, apply, reload } = this.#parts;
    while (!this.#isClosed) {
      const changes = await feed.since(this.#position, READ_MAX);
      if (!changes) {
        const last = await feed.last();
        await reload();
        this.#position = last;
        continue;
      }
      for (const change of withoutRepeats(changes)) {
        await apply(change);
        if (this.#isClosed) return;
      }
      this.#position = changes.at(-1) ?? this.#position;
      if (changes.length < READ_MAX) return;
      await setImmediate();
    }
  }
}

/** Keeps the last of several changes of one record. */
function withoutRepeats(changes: readonly RecordChange[]): RecordChange[] {
  const last = new Map(changes.map((change) => [`${change.kind} ${change.ref} ${change.workspaceId}`, change]));
  return changes.filter((change) => last.get(`${change.kind} ${change.ref} ${change.workspaceId}`) === change);
}
