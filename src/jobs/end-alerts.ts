import type { AlertType } from '../domain/alerts/alert.ts';
import { shownAmount } from '../domain/limits/limit-fields.ts';
import { amountAt, type Limit } from '../domain/limits/limit.ts';
import type { Clock } from '../lib/clock.ts';
import type { Records } from '../storage/records/records.ts';
import type { Job } from './schedule.ts';
import { MINUTE_MS } from '../domain/time/units.ts';
import type { StoredAlert } from '../storage/records/alerts.ts';
import type { PricedAs } from '../storage/counter-store.ts';

interface EndAlertsParts {
  readonly records: Pick<Records, 'alerts' | 'limits' | 'workspaces'>;
  readonly clock: Clock;
  /** When this process began, epoch ms. */
  readonly startedAt: number;
  readonly pricedAs: (workspaceId: string) => PricedAs;
}

interface EndContext extends EndAlertsParts {
  /** The limits that its workspace has now, by their ids. */
  readonly present: ReadonlyMap<string, Limit>;
}

/** When an open alert was over, epoch ms; null = it goes on. */
type FindEnd = (alert: StoredAlert, ground: EndContext) => number | null;

/** Alerts whose end can be seen by looking; of the others whoever raised them says so, or nobody. */
const FINDERS: ReadonlyMap<AlertType, FindEnd> = new Map([
  ['BUDGET_WARNING', findLimitEnd],
  ['BUDGET_EXCEEDED', findLimitEnd],
  ['RATE_LIMIT', findLimitEnd],
  ['JOURNAL_TROUBLE', findProcessEnd],
  ['LEDGER_TROUBLE', findProcessEnd],
  ['UNPRICED_MODEL', findPricedTime],
]);

/** Resolves alerts of limits whose window is over, that are gone or changed, of models that have a price now, and troubles of earlier runs. */
export function endAlertsJob(parts: EndAlertsParts): Job {
  const { alerts, limits, workspaces } = parts.records;
  const types = [...FINDERS.keys()];
  return {
    name: 'end_alerts',
    everyMs: MINUTE_MS,
    async run(signal) {
      for (const { id } of await workspaces.list()) {
        const open = await alerts.open(id, types);
        if (open.length === 0) continue;
        const ground = { ...parts, present: new Map((await limits.list(id)).map((limit) => [limit.id, limit])) };
        for (const alert of open) {
          if (signal.aborted) return;
          const at = FINDERS.get(alert.type)?.(alert, ground) ?? null;
          if (at !== null) await alerts.resolve(id, alert.episode, at);
        }
      }
    },
  };
}

/** What was used up is there again, or the limit is gone or another: of a new amount the ledger tells anew. */
function findLimitEnd({ period, scope, evidence }: StoredAlert, { clock, present }: EndContext): number | null {
  const now = clock();
  if (period !== null && period.end <= now) return period.end;
  if (scope['limit'] === undefined) return null;
  const limit = present.get(scope['limit']);
  if (!limit) return now;
  const { amount } = evidence;
  return typeof amount === 'number' && amount !== shownAmount(limit.unit, amountAt(limit, now)) ? now : null;
}

/** A process tells the ends of its own troubles; those of one that died end with the next that works. */
function findProcessEnd({ createdAt }: StoredAlert, { startedAt }: EndContext): number | null {
  return createdAt < startedAt ? startedAt : null;
}

function findPricedTime({ workspaceId, scope }: StoredAlert, { clock, pricedAs }: EndContext): number | null {
  const { provider = '', model = '' } = scope;
  return pricedAs(workspaceId)(provider, model) === null ? null : clock();
}
