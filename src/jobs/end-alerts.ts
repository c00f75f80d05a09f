import type { AlertType } from '../core/alert.ts';
import type { Clock } from '../lib/clock.ts';
import type { Records, StoredAlert } from '../storage/records/records.ts';
import type { PricedAs } from '../storage/store.ts';
import type { Job } from './schedule.ts';

const MINUTE_MS = 60_000;

interface EndAlertsParts {
  readonly records: Pick<Records, 'alerts' | 'limits' | 'workspaces'>;
  readonly clock: Clock;
  /** When this process began, epoch ms. */
  readonly startedAt: number;
  readonly pricedAs: (workspaceId: string) => PricedAs;
}

interface Ground extends EndAlertsParts {
  /** Ids of the limits that its workspace has now. */
  readonly limitIds: ReadonlySet<string>;
}

/** When an open alert was over, epoch ms; null = it goes on. */
type EndOf = (alert: StoredAlert, ground: Ground) => number | null;

/** Alerts whose end can be seen by looking; of the others whoever raised them says so, or nobody. */
const ENDS: ReadonlyMap<AlertType, EndOf> = new Map([
  ['BUDGET_WARNING', endOfLimit],
  ['BUDGET_EXCEEDED', endOfLimit],
  ['RATE_LIMIT', endOfLimit],
  ['JOURNAL_TROUBLE', endOfProcess],
  ['BOOK_TROUBLE', endOfProcess],
  ['UNPRICED_MODEL', whenPriced],
]);

/** Resolves alerts of limits whose window is over or that are gone, of models that have a price now, and troubles of earlier runs. */
export function endAlertsJob(parts: EndAlertsParts): Job {
  const { alerts, limits, workspaces } = parts.records;
  const types = [...ENDS.keys()];
  return {
    name: 'end_alerts',
    everyMs: MINUTE_MS,
    async run(signal) {
      for (const { id } of await workspaces.list()) {
        const open = await alerts.open(id, types);
        if (open.length === 0) continue;
        const ground = { ...parts, limitIds: new Set((await limits.list(id)).map((limit) => limit.id)) };
        for (const alert of open) {
          if (signal.aborted) return;
          const at = ENDS.get(alert.type)?.(alert, ground) ?? null;
          if (at !== null) await alerts.resolve(id, alert.episode, at);
        }
      }
    },
  };
}

/** What was used up is there again, or nothing limits it any more. */
function endOfLimit({ period, scope }: StoredAlert, { clock, limitIds }: Ground): number | null {
  if (period !== null && period.end <= clock()) return period.end;
  const { limit } = scope;
  return limit !== undefined && !limitIds.has(limit) ? clock() : null;
}

/** A process tells the ends of its own troubles; those of one that died end with the next that works. */
function endOfProcess({ createdAt }: StoredAlert, { startedAt }: Ground): number | null {
  return createdAt < startedAt ? startedAt : null;
}

function whenPriced({ workspaceId, scope }: StoredAlert, { clock, pricedAs }: Ground): number | null {
  const { provider = '', model = '' } = scope;
  return pricedAs(workspaceId)(provider, model) === null ? null : clock();
}
