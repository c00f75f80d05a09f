import { setImmediate as nextTurn } from 'node:timers/promises';
import { DELIVER_MS_MAX } from '../notifications/deliveries/decide-outcome.ts';
import type { Clock } from '../lib/clock.ts';
import type { Records } from '../storage/records/records.ts';
import type { Job } from './schedule.ts';
import { HOUR_MS, SECOND_MS } from '../domain/time/units.ts';

/** Time for which ended deliveries are kept. */
const KEEP_MS = 30 * 24 * HOUR_MS;
/** Deliveries to delete per transaction. */
const PRUNED_AT_ONCE_MAX = 1_000;

/** Sends due deliveries. A new alert is sent immediately, without this job. */
export function deliveryJob(deliveries: { start(): void }): Job {
  return {
    name: 'deliver',
    everyMs: SECOND_MS,
    run: async () => deliveries.start(),
  };
}

interface PruneParts {
  readonly records: Pick<Records, 'deliveries'>;
  readonly clock: Clock;
}

/** Gives up deliveries to webhooks that stay disabled, and deletes old ended deliveries. */
export function pruneDeliveriesJob({ records: { deliveries }, clock }: PruneParts): Job {
  return {
    name: 'prune_deliveries',
    everyMs: HOUR_MS,
    async run(signal) {
      await deliveries.expire(clock() - DELIVER_MS_MAX);
      const before = clock() - KEEP_MS;
      while (!signal.aborted && (await deliveries.prune(before, PRUNED_AT_ONCE_MAX)) === PRUNED_AT_ONCE_MAX)
        await nextTurn();
    },
  };
}
