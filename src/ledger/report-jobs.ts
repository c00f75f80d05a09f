import type { Job } from '../jobs/schedule.ts';
import {
  repriceReportsJob,
  SETTLE_REPORTS,
  type SettleJobParts,
  settleReportsJob,
} from '../jobs/compute-unproxied-usage.ts';
import { SHARE_UNCERTAIN, shareUncertainJob, type ShareParts } from '../jobs/resolve-uncertain-calls.ts';
import { syncReportsJob, type SyncJobParts } from '../jobs/sync-provider-reports.ts';
import type { Clock } from '../lib/clock.ts';
import type { PriceBook } from '../prices/price-book.ts';
import type { Provider } from '../providers/provider.ts';
import type { MessageToGateway } from '../ipc/messages.ts';
import type { ReportService } from './report-service.ts';

interface ReportJobParts extends Omit<SettleJobParts, 'cardOf' | 'closed' | 'looked'> {
  readonly records: SettleJobParts['records'] & SyncJobParts['records'] & ShareParts['records'];
  readonly reports: SettleJobParts['reports'] & ShareParts['reports'];
  readonly entries: ShareParts['entries'];
  /** Clock of jobs with a lookback. */
  readonly jobClock: Clock;
  readonly prices: Pick<PriceBook, 'resolve'>;
  readonly providers: ReadonlyMap<string, Provider>;
  readonly organizations: ReportService;
  readonly poke: (job: string) => void;
  readonly tellGate: (message: MessageToGateway) => void;
}

/** Creates the jobs that sync provider reports, compute unproxied usage and resolve uncertain calls. */
export function reportJobs(parts: ReportJobParts): Job[] {
  const { prices, providers, organizations, providerReports, poke, tellGate } = parts;
  const settle = (): void => poke(SETTLE_REPORTS);
  const settling: SettleJobParts = {
    ...parts,
    cardOf: (workspaceId, provider, model, at) =>
      prices.resolve(workspaceId, providers.get(provider)?.priceProvider ?? provider, model, at),
    closed: () => poke(SHARE_UNCERTAIN),
    looked: async (keys) => {
      const connections = await Promise.all(keys.map((key) => organizations.stateOf(key)));
      tellGate({ type: 'connections', connections });
    },
  };
  const { ask, asked } = organizations;
  const syncing: SyncJobParts = {
    ...parts,
    reports: providerReports,
    ask,
    asked,
    placeOf: (provider) => organizations.placeOf(provider),
    turned: settle,
  };
  return [
    syncReportsJob(syncing),
    settleReportsJob(settling),
    repriceReportsJob(settling, settle),
    shareUncertainJob({
      ...parts,
      cardOf: settling.cardOf,
      compare: organizations.compare,
      resolved: settle,
      saveUnresolved: (adminKeyId, found) => organizations.saveUnresolved(adminKeyId, found),
      clock: parts.jobClock,
    }),
  ];
}
