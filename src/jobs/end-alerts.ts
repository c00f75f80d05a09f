import type { AlertType } from '../core/alert.ts';
import type { Clock } from '../lib/clock.ts';
import type { Records } from '../storage/records/records.ts';
import type { Job } from './schedule.ts';

const MINUTE_MS = 60_000;
/** What they tell of ends with its period; of the others somebody says when it is over. */
const ENDING: readonly AlertType[] = ['BUDGET_WARNING', 'BUDGET_EXCEEDED', 'RATE_LIMIT'];

interface EndAlertsParts {
  readonly records: Pick<Records, 'alerts' | 'workspaces'>;
  readonly clock: Clock;
}

/** Resolves alerts of limits whose window is over: what was used up is there again. */
export function endAlertsJob({ records: { alerts, workspaces }, clock }: EndAlertsParts): Job {
  return {
    name: 'end_alerts',
    everyMs: MINUTE_MS,
    async run(signal) {
      for (const { id } of await workspaces.list())
        for (const { period, episode } of await alerts.open(id, ENDING)) {
          if (signal.aborted) return;
          if (period !== null && period.end <= clock()) await alerts.resolve(id, episode, period.end);
        }
    },
  };
}
