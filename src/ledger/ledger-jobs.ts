import type { Services } from '../api/services.ts';
import { LIMITS } from '../config.ts';
import type { Alert } from '../domain/alerts/alert.ts';
import type { MessageToGateway } from '../ipc/messages.ts';
import { REPRICE_UNPROXIED_USAGE } from '../jobs/compute-unproxied-usage.ts';
import { deliveryJob, pruneDeliveriesJob } from '../jobs/deliveries.ts';
import { detectAnomaliesJob } from '../jobs/detect-anomalies.ts';
import { endAlertsJob } from '../jobs/end-alerts.ts';
import { forecastLimitsJob } from '../jobs/forecast-limits.ts';
import { type CounterJobParts, pruneCountersJob, recountJob, releaseUncertainJob } from '../jobs/limit-counters.ts';
import { pruneEntriesJob } from '../jobs/prune.ts';
import { refreshPricesJob } from '../jobs/refresh-prices.ts';
import { type ChangedPrices, customPricesJob, unpricedJob } from '../jobs/reprice.ts';
import { RESOLVE_UNCERTAIN_CALLS } from '../jobs/resolve-uncertain-calls.ts';
import type { Job } from '../jobs/schedule.ts';
import { sendDigestsJob } from '../jobs/send-digests.ts';
import { computeSessionsJob, pruneSessionUseJob } from '../jobs/sessions.ts';
import { SYNC_REPORTS } from '../jobs/sync-provider-reports.ts';
import { watchRateLimitsJob } from '../jobs/watch-rate-limits.ts';
import { systemUptime } from '../lib/clock.ts';
import { newId } from '../lib/crypto/id.ts';
import type { StoredAlert } from '../storage/records/alerts.ts';
import type { LedgerStore } from '../storage/store.ts';
import { jobClock } from './job-clock.ts';
import type { LimitService } from './limit-service.ts';
import { modelPricing } from './model-prices.ts';
import { reportJobs } from './report-jobs.ts';
import type { ReportService } from './report-service.ts';

/** Jobs that run at every start: reports, prices and calls may have changed while no process ran. */
export const STARTING_JOBS = [
  'unpriced',
  'sessions',
  SYNC_REPORTS,
  REPRICE_UNPROXIED_USAGE,
  RESOLVE_UNCERTAIN_CALLS,
  'refresh_prices',
];

interface LedgerJobParts {
  readonly services: Services;
  readonly store: LedgerStore;
  readonly limits: LimitService;
  readonly organizations: ReportService;
  readonly changedPrices: ChangedPrices;
  /** Address of price data; null = none. */
  readonly pricesUrl: string | null;
  readonly raise: (alert: Alert) => Promise<void>;
  /** Receives alerts that a job has stored. */
  readonly onRaised: (alerts: readonly StoredAlert[]) => void;
  readonly send: (message: MessageToGateway) => void;
  /** Runs a job soon. */
  readonly poke: (job: string) => void;
}

/** Lists the scheduled jobs of the ledger thread. */
export function ledgerJobs(parts: LedgerJobParts): Job[] {
  const { services, store, limits, organizations, changedPrices, pricesUrl, raise, onRaised, send, poke } = parts;
  const aging = { ...services, clock: jobClock(services.clock, systemUptime) };
  const runner = newId('run', services.clock);
  const shared = { ...aging, compare: organizations.compare, raise, runner };
  const counterParts: CounterJobParts = {
    ...shared,
    counters: store.counters,
    change: (work) => limits.change(work),
  };
  return [
    pruneCountersJob(counterParts),
    releaseUncertainJob(counterParts),
    recountJob(counterParts),
    pruneEntriesJob(aging.records, [aging.entries, aging.refusals], aging.clock, LIMITS.pruneRowsMax),
    unpricedJob(services),
    computeSessionsJob(services),
    pruneSessionUseJob(aging, LIMITS.pruneRowsMax),
    customPricesJob(services, changedPrices),
    watchRateLimitsJob(shared),
    forecastLimitsJob(shared),
    detectAnomaliesJob({ ...shared, onRaised }),
    sendDigestsJob({ ...shared, queued: () => services.deliveries.start() }),
    deliveryJob(services.deliveries),
    pruneDeliveriesJob(aging),
    ...reportJobs({
      ...shared,
      ...store,
      clock: services.clock,
      jobClock: aging.clock,
      prices: services.prices,
      organizations,
      resolved: () => services.deliveries.start(),
      poke,
      sendToGateway: send,
    }),
    endAlertsJob({ ...aging, startedAt: services.clock(), pricedAs: (id) => modelPricing(services, id) }),
    ...(pricesUrl === null ? [] : [refreshPricesJob(() => services.installation.refreshPrices())]),
  ];
}
