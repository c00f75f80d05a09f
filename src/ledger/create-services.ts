import { Accounts } from '../accounts/accounts.ts';
import type { PasswordHashing } from '../accounts/auth-library.ts';
import type { GatewayNotices } from '../api/gateway-notices.ts';
import type { LiveStreams } from '../api/live-streams.ts';
import type { Services } from '../api/services.ts';
import { Detector } from '../detection/detector.ts';
import type { Config } from '../config.ts';
import type { Clock } from '../lib/clock.ts';
import type { SiteFiles } from '../lib/http/site-files.ts';
import type { Log } from '../lib/log.ts';
import type { PriceBook } from '../prices/price-book.ts';
import type { Provider } from '../providers/provider.ts';
import { previewContract, type PreviewParts, previewPrice } from '../jobs/preview-reprice.ts';
import { computeMarkedSessions } from '../jobs/sessions.ts';
import type { PricingOf } from '../storage/session-store.ts';
import type { StorageEngine } from '../storage/engine.ts';
import type { HeldElsewhere } from '../storage/node-amounts.ts';
import type { Records } from '../storage/records/records.ts';
import { VERSION } from '../version.ts';
import { withCounterEvents } from './append-entries.ts';
import type { DataFiles } from './data-folder.ts';
import type { DeliveryService } from './delivery-service.ts';
import { createDigestService } from './digest-service.ts';
import type { LimitCounting } from './worker-limits.ts';
import { modelPricing, sessionPricing } from './model-prices.ts';
import { addHeldElsewhere } from './held-elsewhere.ts';
import { addObservedUsage } from './observed-limits.ts';
import { createOperations } from './operations.ts';
import { createProviderTester } from './provider-tester.ts';
import { createPriceUpdates, type UsePrices } from './price-updates.ts';
import type { PriceFile } from '../prices/price-rows.ts';
import type { ReportService } from './report-service.ts';

interface ServiceParts {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  /** null = there is no journal. */
  readonly nodeId?: string | null;
  readonly demo?: boolean;
  readonly hashing?: PasswordHashing;
  readonly site?: SiteFiles | null;
  readonly engine: StorageEngine;
  readonly files: DataFiles;
  readonly records: Records;
  readonly prices: PriceBook;
  readonly providers: ReadonlyMap<string, Provider>;
  readonly limits: LimitCounting;
  readonly deliveries: DeliveryService;
  readonly organizations: ReportService;
  readonly live: LiveStreams;
  readonly gateway: GatewayNotices;
  readonly priceFilesInUse: () => readonly PriceFile[];
  readonly usePrices: UsePrices;
}

/** Returns what reads the status of limits, of all nodes, with observed calls where a limit counts them. */
function createStandingsReader(parts: ServiceParts): Services['standings'] {
  const ofNodes = createNodeStandingsReader(parts);
  const { clock, engine } = parts;
  const observing = { observed: engine.store.observed, pricedAs: (id: string) => modelPricing(parts, id), clock };
  return async (asked) => await addObservedUsage(observing, asked, await ofNodes(asked));
}

function createNodeStandingsReader({ engine, limits, nodeId, clock }: ServiceParts): Services['standings'] {
  const { nodeAmounts, store } = engine;
  if (!nodeAmounts) return (asked) => limits.standings(asked);
  const read = (counters: readonly number[]): Promise<HeldElsewhere[]> =>
    nodeAmounts.heldElsewhere(counters, nodeId ?? '');
  const parts = { read, counters: store.counters, clock };
  return async (asked) => await addHeldElsewhere(parts, asked, await limits.standings(asked));
}

function createPreviews({ engine, prices, providers, clock }: ServiceParts) {
  const parts: PreviewParts = { reports: engine.store.reports, prices, providers, clock };
  return {
    previewContract: (...asked) => previewContract(parts, ...asked),
    previewPrice: (...asked) => previewPrice(parts, ...asked),
  } satisfies Pick<Services, 'previewContract' | 'previewPrice'>;
}

/** Creates the services of all endpoints. */
export function createServices(parts: ServiceParts): Services {
  const { config, clock, log, demo = false, hashing, site = null, engine, files, records, prices, providers } = parts;
  const { limits, deliveries, organizations, live, gateway, priceFilesInUse, usePrices } = parts;
  const { store } = engine;
  const { baseUrl, allowedHosts, tokenRequestsPerMinute } = config;
  const pricingOf: PricingOf = (workspaceId) => sessionPricing(parts, workspaceId);
  const standings = createStandingsReader(parts);
  return {
    settings: {
      baseUrl,
      allowedHosts,
      tokenRequestsPerMinute,
      version: VERSION,
      demo,
      sendsMail: config.mail !== null,
      hasNodes: engine.leases !== null,
    },
    clock,
    log,
    records,
    accounts: new Accounts({ db: engine.db, records, baseUrl, clock, log, demo, ...(hashing && { hashing }) }),
    entries: withCounterEvents(store.entries, limits),
    reports: store.reports,
    ...createPreviews(parts),
    counters: store.counters,
    sessions: store.sessions,
    observed: store.observed,
    unproxiedUsage: store.unproxiedUsage,
    pricingOf,
    computeSessions: () => computeMarkedSessions({ ...store, pricingOf, clock }),
    prices,
    providers,
    gateway,
    standings,
    refusals: store.refusals,
    live,
    site,
    deliveries,
    mailer: deliveries.mailer,
    detector: new Detector({ reports: store.reports, records }),
    providerReports: organizations,
    digests: createDigestService({
      ...store,
      providerReports: organizations,
      pricingOf,
      records,
      standings,
      clock,
      baseUrl,
    }),
    priceUpdates: createPriceUpdates({
      config,
      documents: records.documents,
      prices,
      filesInUse: priceFilesInUse,
      clock,
      log,
      use: usePrices,
    }),
    providerTester: createProviderTester(config),
    installation: createOperations({ engine, config, files, records, providers, prices, clock }),
  };
}
