import type { Services } from '../api/services.ts';
import { LIMITS } from '../config.ts';
import type { Alert } from '../domain/alerts/alert.ts';
import type { MessageToGateway } from '../ipc/messages.ts';
import { claimedJob } from '../jobs/claimed-job.ts';
import { REPRICE_UNPROXIED_USAGE } from '../jobs/compute-unproxied-usage.ts';
import { deliveryJob, pruneDeliveriesJob } from '../jobs/deliveries.ts';
import { detectAnomaliesJob } from '../jobs/detect-anomalies.ts';
import { endAlertsJob } from '../jobs/end-alerts.ts';
import { forecastLimitsJob } from '../jobs/forecast-limits.ts';
import { type CounterJobParts, pruneCountersJob, recountJob, releaseUncertainJob } from '../jobs/limit-counters.ts';
import { prepareMonthsJob, pruneChangesJob, pruneEntriesJob } from '../jobs/prune.ts';
import { READ_BACKGROUND_RESPONSES, readBackgroundResponsesJob } from '../jobs/read-background-responses.ts';
import { fetchPricesJob } from '../jobs/refresh-prices.ts';
import {
  type ChangedContracts,
  type ChangedPrices,
  contractsJob,
  customPricesJob,
  unpricedJob,
} from '../jobs/reprice.ts';
import type { OpenCalls } from '../jobs/open-calls.ts';
import { RESOLVE_UNCERTAIN_CALLS } from '../jobs/resolve-uncertain-calls.ts';
import type { Job } from '../jobs/schedule.ts';
import { sendDigestsJob } from '../jobs/send-digests.ts';
import { SETTLE_BATCHES, settleBatchesJob } from '../jobs/settle-batches.ts';
import { computeSessionsJob, pruneSessionUseJob } from '../jobs/sessions.ts';
import { SYNC_REPORTS } from '../jobs/sync-provider-reports.ts';
import { compareStatedPricesJob } from '../jobs/compare-stated-prices.ts';
import { watchRateLimitsJob } from '../jobs/watch-rate-limits.ts';
import { systemUptime } from '../lib/clock.ts';
import { firstStart, shippedUntil } from '../storage/records/nodes.ts';
import type { ChangeFeed } from '../storage/change-feed.ts';
import type { StorageEngine } from '../storage/engine.ts';
import type { StoredAlert } from '../storage/records/alerts.ts';
import type { PricedAs } from '../storage/counter-store.ts';
import type { LedgerStore } from '../storage/store.ts';
import { jobClock } from './job-clock.ts';
import type { LimitCounting } from './worker-limits.ts';
import { modelPricing } from './model-prices.ts';
import { watchObservedLimitsJob } from './observed-limits.ts';
import { reportJobs } from './report-jobs.ts';
import type { ReportService } from './report-service.ts';

/** Jobs that run at every start: reports, prices and calls may have changed while no process ran. */
export const STARTING_JOBS = [
  'unpriced',
  'sessions',
  SYNC_REPORTS,
  REPRICE_UNPROXIED_USAGE,
  RESOLVE_UNCERTAIN_CALLS,
  READ_BACKGROUND_RESPONSES,
  SETTLE_BATCHES,
  'refresh_prices',
];

interface LedgerJobParts {
  readonly services: Services;
  readonly store: LedgerStore;
  readonly limits: LimitCounting;
  readonly organizations: ReportService;
  readonly changedPrices: ChangedPrices;
  readonly changedContracts: ChangedContracts;
  /** Address of price data; null = none. */
  readonly pricesUrl: string | null;
  readonly raise: (alert: Alert) => Promise<void>;
  /** Calls that run on in the background. */
  readonly background: OpenCalls;
  readonly batches: OpenCalls;
  /** Receives alerts that a job has stored. */
  readonly onRaised: (alerts: readonly StoredAlert[]) => void;
  readonly send: (message: MessageToGateway) => void;
  /** Runs a job soon. */
  readonly poke: (job: string) => void;
  /** null = no other process admits calls. */
  readonly leases: StorageEngine['leases'];
  /** null = no other process changes records. */
  readonly changes: ChangeFeed | null;
  /** null = one table has the entries of all months. */
  readonly prepareMonths: StorageEngine['prepareMonths'];
  /** Several processes use the database: each job runs on one of them at a time. */
  readonly shared: boolean;
  /** Id of this process in its claims (`newRunnerId`). */
  readonly runner: string;
}

/** Turns of a job that a change pokes: another process may be past what changed. */
const WHEN_POKED = { apartMs: 0, waits: true };

/** Lists the scheduled jobs of the ledger thread. */
export function ledgerJobs(parts: LedgerJobParts): Job[] {
  const { services, store, limits, organizations, changedPrices, pricesUrl, raise, onRaised, send, poke } = parts;
  const { runner, shared, changes, prepareMonths } = parts;
  const aging = { ...services, clock: jobClock(services.clock, systemUptime) };
  const { leases } = parts;
  const claimTime = leases && (() => leases.time());
  const common = { ...aging, claimTime, compare: organizations.compare, raise, runner };
  const counterParts: CounterJobParts = {
    ...common,
    counters: store.counters,
    leases,
    change: (work) => limits.change(work),
  };
  const pricedAs = (workspaceId: string): PricedAs => modelPricing(services, workspaceId);
  const own = services.clock();
  const startedAt = async (): Promise<number> => (shared ? firstStart(await services.records.nodes.list(), own) : own);
  const inTurns = (job: Job): Job => (shared ? claimedJob(common, job) : job);
  const whenPoked = (job: Job): Job => (shared ? claimedJob(common, job, WHEN_POKED) : job);
  return [
    inTurns(pruneCountersJob(counterParts)),
    inTurns(releaseUncertainJob(counterParts)),
    inTurns(recountJob(counterParts)),
    inTurns(pruneEntriesJob(aging.records, aging, aging.clock, LIMITS.pruneRowsMax)),
    ...(prepareMonths ? [inTurns(prepareMonthsJob(prepareMonths, aging.clock))] : []),
    ...(changes ? [inTurns(pruneChangesJob(changes, aging.clock, LIMITS.pruneRowsMax))] : []),
    whenPoked(unpricedJob(services)),
    whenPoked(computeSessionsJob(services)),
    inTurns(pruneSessionUseJob(aging, LIMITS.pruneRowsMax)),
    whenPoked(customPricesJob(services, changedPrices)),
    whenPoked(contractsJob(services, parts.changedContracts)),
    watchRateLimitsJob(common),
    compareStatedPricesJob({ ...common, providers: services.providers }),
    readBackgroundResponsesJob({ ...common, clock: services.clock, background: parts.background }),
    settleBatchesJob({ ...common, clock: services.clock, batches: parts.batches }),
    forecastLimitsJob(common),
    inTurns(watchObservedLimitsJob({ ...common, counters: store.counters, clock: services.clock, pricedAs })),
    detectAnomaliesJob({ ...common, onRaised }),
    sendDigestsJob({ ...common, queued: () => services.deliveries.start() }),
    deliveryJob(services.deliveries),
    inTurns(pruneDeliveriesJob(aging)),
    ...reportJobs({
      ...common,
      // Not the rest of the store: the entries of `common` tell the gateway of corrections.
      providerReports: store.providerReports,
      clock: services.clock,
      jobClock: aging.clock,
      shippedUntil: async () => (shared ? shippedUntil(await services.records.nodes.list()) : Infinity),
      prices: services.prices,
      organizations,
      resolved: () => services.deliveries.start(),
      poke,
      whenPoked,
      sendToGateway: send,
    }),
    inTurns(endAlertsJob({ ...aging, startedAt, pricedAs })),
    ...(pricesUrl === null ? [] : [inTurns(fetchPricesJob(() => services.priceUpdates.fetch()))]),
  ];
}
