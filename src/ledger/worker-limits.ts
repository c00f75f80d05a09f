import type { CounterStatus, Limit } from '../domain/limits/limit.ts';
import { addWhole } from '../domain/money/money.ts';
import { TurnQueue } from '../lib/concurrency/turn-queue.ts';
import { type CounterChange, gatewaySilent, LimitService, type LimitServiceParts } from './limit-service.ts';

/** The part of `LimitService` that does not depend on which gateway admits a call. */
export type LimitCounting = Pick<LimitService, 'change' | 'standings' | 'waitUntilApplied'>;

/** Serves the limits engines of several workers, each with a `LimitService`. */
export class WorkerLimits implements LimitCounting {
  readonly #turns = new TurnQueue();
  readonly #services = new Set<LimitService>();

  /** Adds a worker. From its snapshot on, it is sent the moves of counters. */
  join(parts: Omit<LimitServiceParts, 'turns'>): LimitService {
    const service = new LimitService({ ...parts, turns: this.#turns });
    this.#services.add(service);
    return service;
  }

  /** The process of a worker has ended. */
  leave(service: LimitService): void {
    this.#services.delete(service);
    service.close();
  }

  /** Does for all workers what `LimitService.change` does for one. */
  async change<Result extends CounterChange>(work: () => Promise<Result>): Promise<Result> {
    return await this.#turns.run(async () => {
      const result = await work();
      for (const service of this.#services) service.sendMoves(result.moves);
      return result;
    });
  }

  /** Returns the status of limits, as the workers that answer know it. Throws `unavailable` when none does. */
  async standings(limits: readonly Limit[]): Promise<readonly CounterStatus[]> {
    const asked = await Promise.allSettled([...this.#services].map((service) => service.standings(limits)));
    const answers = asked.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
    if (answers.length === 0) throw gatewaySilent();
    return mergeStandings(answers);
  }

  /** Resolves when all workers have applied all messages; false = one does not confirm. */
  async waitUntilApplied(): Promise<boolean> {
    const applied = await Promise.all([...this.#services].map((service) => service.waitUntilApplied()));
    return applied.every(Boolean);
  }
}

/**
 * Merges what workers know of the same counters. Each one has the calls of all from the ledger, and its own from before they are
 * there, so the highest count is the newest. What open calls hold is in one worker only.
 */
function mergeStandings(answers: readonly (readonly CounterStatus[])[]): CounterStatus[] {
  const merged = new Map<string, CounterStatus>();
  for (const status of answers.flat()) {
    const key = `${status.limit.id} ${status.windowStart} ${status.value}`;
    const known = merged.get(key);
    merged.set(key, known ? mergeTwo(known, status) : status);
  }
  return [...merged.values()];
}

function mergeTwo(a: CounterStatus, b: CounterStatus): CounterStatus {
  const newest = a.counted >= b.counted ? a : b;
  const held = addWhole(a.held, b.held);
  const left = Math.max(0, newest.amount - Number(addWhole(newest.counted, held)));
  return { ...newest, held, left };
}
