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
  /** Returns the start of the process that has run for longest, epoch ms. Others may have ended. */
  readonly startedAt: () => Promise<number>;
  readonly pricedAs: (workspaceId: string) => PricedAs;
}

interface EndContext extends Omit<EndAlertsParts, 'startedAt'> {
  readonly startedAt: number;
  /** Current limits of the workspace, by id. */
  readonly present: ReadonlyMap<string, Limit>;
}

/** Returns the end of an open alert, epoch ms; null = still open. */
type FindEnd = (alert: StoredAlert, ground: EndContext) => number | null;

/** Functions that find the end of alerts by type. Other alerts are resolved by their source, or never. */
const FINDERS: ReadonlyMap<AlertType, FindEnd> = new Map([
  ['BUDGET_WARNING', findLimitEnd],
  ['BUDGET_EXCEEDED', findLimitEnd],
  ['RATE_LIMIT', findLimitEnd],
  ['JOURNAL_PROBLEM', findProcessEnd],
  ['LEDGER_PROBLEM', findProcessEnd],
  ['UNPRICED_MODEL', findPricedTime],
]);

/**
 * Resolves alerts of limits whose window ended or that were removed or changed, of models that now have a price, and
 * health alerts of earlier runs.
 */
export function endAlertsJob(parts: EndAlertsParts): Job {
  const { alerts, limits, workspaces } = parts.records;
  const types = [...FINDERS.keys()];
  return {
    name: 'end_alerts',
    everyMs: MINUTE_MS,
    async run(signal) {
      const startedAt = await parts.startedAt();
      for (const { id } of await workspaces.list()) {
        const open = await alerts.open(id, types);
        if (open.length === 0) continue;
        const ground = {
          ...parts,
          startedAt,
          present: new Map((await limits.list(id)).map((limit) => [limit.id, limit])),
        };
        for (const alert of open) {
          if (signal.aborted) return;
          const at = FINDERS.get(alert.type)?.(alert, ground) ?? null;
          if (at !== null) await alerts.resolve(id, alert.episode, at);
        }
      }
    },
  };
}

/**
 * Finds the end of a limit's alert: its window ended, or the limit was removed or has a new amount, for which a new
 * alert is raised.
 */
function findLimitEnd({ period, scope, evidence }: StoredAlert, { clock, present }: EndContext): number | null {
  const now = clock();
  if (period !== null && period.end <= now) return period.end;
  if (scope['limit'] === undefined) return null;
  const limit = present.get(scope['limit']);
  if (!limit) return now;
  const { amount } = evidence;
  return typeof amount === 'number' && amount !== shownAmount(limit.unit, amountAt(limit, now)) ? now : null;
}

/**
 * Finds the end of a health alert. A process resolves its own; alerts of a crashed process end once all running ones
 * started after them.
 */
function findProcessEnd({ createdAt }: StoredAlert, { startedAt }: EndContext): number | null {
  return createdAt < startedAt ? startedAt : null;
}

function findPricedTime({ workspaceId, scope }: StoredAlert, { clock, pricedAs }: EndContext): number | null {
  const { provider = '', model = '' } = scope;
  return pricedAs(workspaceId)(provider, model) === null ? null : clock();
}
