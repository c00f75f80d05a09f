import type { Job } from '../jobs/schedule.ts';
import {
  repriceUnproxiedUsageJob,
  COMPUTE_UNPROXIED_USAGE,
  type UnproxiedJobParts,
  computeUnproxiedUsageJob,
} from '../jobs/compute-unproxied-usage.ts';
import {
  RESOLVE_UNCERTAIN_CALLS,
  resolveUncertainCallsJob,
  type ResolveJobParts,
} from '../jobs/resolve-uncertain-calls.ts';
import { syncReportsJob, type SyncJobParts } from '../jobs/sync-provider-reports.ts';
import type { Clock } from '../lib/clock.ts';
import type { PriceBook } from '../prices/price-book.ts';
import type { Provider } from '../providers/provider.ts';
import type { MessageToGateway } from '../ipc/messages.ts';
import type { ReportService } from './report-service.ts';

interface ReportJobParts extends Omit<UnproxiedJobParts, 'cardOf' | 'closed' | 'looked'> {
  readonly records: UnproxiedJobParts['records'] & SyncJobParts['records'] & ResolveJobParts['records'];
  readonly reports: UnproxiedJobParts['reports'] & ResolveJobParts['reports'];
  readonly entries: ResolveJobParts['entries'];
  /** Clock of jobs with a lookback. */
  readonly jobClock: Clock;
  readonly shippedUntil: ResolveJobParts['shippedUntil'];
  readonly prices: Pick<PriceBook, 'resolve'>;
  readonly providers: ReadonlyMap<string, Provider>;
  readonly organizations: ReportService;
  readonly poke: (job: string) => void;
  /** Wraps a job without claims of its own, where several processes use the database. */
  readonly whenPoked: (job: Job) => Job;
  readonly sendToGateway: (message: MessageToGateway) => void;
}

/** Creates the jobs that sync provider reports, compute unproxied usage and resolve uncertain calls. */
export function reportJobs(parts: ReportJobParts): Job[] {
  const { prices, providers, organizations, providerReports, poke, whenPoked, sendToGateway: tellGate } = parts;
  const updateUnproxied = (): void => poke(COMPUTE_UNPROXIED_USAGE);
  const updating: UnproxiedJobParts = {
    ...parts,
    cardOf: (workspaceId, provider, model, at) =>
      prices.resolve(workspaceId, providers.get(provider)?.priceProvider ?? provider, model, at),
    closed: () => poke(RESOLVE_UNCERTAIN_CALLS),
    looked: async (keys) => {
      const connections = await Promise.all(keys.map((key) => organizations.stateOf(key)));
      tellGate({ type: 'connections-changed', connections });
    },
  };
  const { ask, syncRequested } = organizations;
  const syncing: SyncJobParts = {
    ...parts,
    reports: providerReports,
    ask,
    syncRequested,
    endpointFor: (provider) => organizations.endpointFor(provider),
    onAttempts: updateUnproxied,
  };
  return [
    syncReportsJob(syncing),
    computeUnproxiedUsageJob(updating),
    whenPoked(repriceUnproxiedUsageJob(updating, updateUnproxied)),
    resolveUncertainCallsJob({
      ...parts,
      cardOf: updating.cardOf,
      compare: organizations.compare,
      resolved: updateUnproxied,
      saveUnresolved: (adminKeyId, found) => organizations.saveUnresolved(adminKeyId, found),
      clock: parts.jobClock,
    }),
  ];
}
