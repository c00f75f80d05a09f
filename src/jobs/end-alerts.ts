import type { Alert, AlertType } from '../core/alert.ts';
import type { Clock } from '../lib/clock.ts';
import type { Records, StoredAlert } from '../storage/records/records.ts';
import type { PricedAs } from '../storage/store.ts';
import type { Job } from './schedule.ts';

const MINUTE_MS = 60_000;

interface EndAlertsParts {
  readonly records: Pick<Records, 'alerts' | 'workspaces'>;
  readonly clock: Clock;
  /** When this process began, epoch ms. */
  readonly startedAt: number;
  readonly pricedAs: (workspaceId: string) => PricedAs;
}

/** When an open alert was over, epoch ms; null = it goes on. */
type EndOf = (alert: StoredAlert, parts: EndAlertsParts) => number | null;

/** Alerts whose end can be seen by looking; of the others whoever raised them says so, or nobody. */
const ENDS: ReadonlyMap<AlertType, EndOf> = new Map([
  ['BUDGET_WARNING', endOfWindow],
  ['BUDGET_EXCEEDED', endOfWindow],
  ['RATE_LIMIT', endOfWindow],
  ['JOURNAL_TROUBLE', endOfProcess],
  ['BOOK_TROUBLE', endOfProcess],
  ['UNPRICED_MODEL', whenPriced],
]);

/** Resolves alerts of limits whose window is over, of models that have a price now, and troubles of earlier runs. */
export function endAlertsJob(parts: EndAlertsParts): Job {
  const { alerts, workspaces } = parts.records;
  const types = [...ENDS.keys()];
  return {
    name: 'end_alerts',
    everyMs: MINUTE_MS,
    async run(signal) {
      for (const { id } of await workspaces.list())
        for (const alert of await alerts.open(id, types)) {
          if (signal.aborted) return;
          const at = ENDS.get(alert.type)?.(alert, parts) ?? null;
          if (at !== null) await alerts.resolve(id, alert.episode, at);
        }
    },
  };
}

/** What was used up is there again. */
function endOfWindow({ period }: Pick<Alert, 'period'>, { clock }: EndAlertsParts): number | null {
  return period !== null && period.end <= clock() ? period.end : null;
}

/** A process tells the ends of its own troubles; those of one that died end with the next that works. */
function endOfProcess({ createdAt }: StoredAlert, { startedAt }: EndAlertsParts): number | null {
  return createdAt < startedAt ? startedAt : null;
}

function whenPriced({ workspaceId, scope }: StoredAlert, { clock, pricedAs }: EndAlertsParts): number | null {
  const { provider = '', model = '' } = scope;
  return pricedAs(workspaceId)(provider, model) === null ? null : clock();
}
