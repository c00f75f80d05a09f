import { DAYS_MAX } from '../contract/routes/workspaces.ts';
import { TollbookError } from '../domain/errors.ts';
import { type Period, readUtcDays } from '../domain/time/period.ts';
import { ReconciliationTotals } from '../domain/reconciliation/reconciliation-totals.ts';
import { REASON_NAMES, type ReasonName } from '../domain/reconciliation/reasons.ts';
import type { AdminKey } from '../storage/records/admin-keys.ts';
import { type ReconciliationShape } from '../contract/reconciliation.ts';
import { appliedLines } from './bill-lines.ts';
import { endpoint } from './http/endpoint.ts';
import { organizationRangeCoverage } from './coverage.ts';
import { comparedView, notComparedView, type ReconciliationViewServices } from './reconciliation-view.ts';
import { usdFromNano } from '../domain/money/money.ts';
import { DAY_MS } from '../domain/time/units.ts';
import type { Clock } from '../lib/clock.ts';
import type { UsageQueries } from '../storage/usage-queries.ts';
import type { UnproxiedUsageStore } from '../storage/unproxied-usage.ts';

export interface ReconciliationServices extends ReconciliationViewServices {
  readonly clock: Clock;
  readonly reports: UsageQueries;
  readonly unproxiedUsage: UnproxiedUsageStore;
}

type SummaryToBill = ReconciliationShape['organizations'][number]['summary'];

/** Groups each reason by its part of the bill: outside the gateway, calls through it, or undecided. */
const PLACES = {
  outside_gateway: 'unproxied',
  batch: 'unproxied',
  fees: 'unproxied',
  uncertain_calls: 'gateway',
  price_drift: 'gateway',
  no_price: 'gateway',
  rounding: 'gateway',
  unexplained: 'gateway',
  unknown_key: 'open',
  not_final: 'open',
} as const satisfies Record<ReasonName, 'unproxied' | 'gateway' | 'open'>;

/**
 * Compares the usage summary of a provider with its bill for the same days. The summary counts unproxied usage at the
 * workspace's prices, and calls at their cost in the ledger.
 */
async function summaryToBill(
  { reports, unproxiedUsage }: Pick<ReconciliationServices, 'reports' | 'unproxiedUsage'>,
  { workspaceId, provider }: AdminKey,
  range: Period,
  { reasons, ledgerCost, unpricedLedgerCost }: ReconciliationTotals,
): Promise<NonNullable<SummaryToBill>> {
  const gatewayCost = (await reports.summary(workspaceId, range)).byProvider.get(provider)?.cost ?? 0n;
  const sums = (await unproxiedUsage.sums(workspaceId, range)).filter((rest) => rest.provider === provider);
  const unproxiedCost = sums.reduce((sum, { totals }) => sum + totals.cost, 0n);
  const toBill = {
    unproxied: -unproxiedCost,
    gateway: 0n,
    open: -unpricedLedgerCost,
    elsewhere: ledgerCost - gatewayCost,
  };
  for (const [reason, place] of Object.entries(PLACES) as [ReasonName, (typeof PLACES)[ReasonName]][])
    toBill[place] += reasons[reason];
  return {
    throughGateway: usdFromNano(gatewayCost),
    outsideGateway: usdFromNano(unproxiedCost),
    total: usdFromNano(gatewayCost + unproxiedCost),
    toBill: {
      outsideGateway: usdFromNano(toBill.unproxied),
      throughGateway: usdFromNano(toBill.gateway),
      undetermined: usdFromNano(toBill.open),
      elsewhere: usdFromNano(toBill.elsewhere),
    },
  };
}

type OrganizationView = ReconciliationShape['organizations'][number];

export const reconciliation = endpoint(
  'GET /api/manage/reconciliation',
  async ({ caller, query }, services: ReconciliationServices) => {
    const range = readUtcDays(query.startDate, query.endDate, services.clock());
    if (range.end - range.start > DAYS_MAX * DAY_MS)
      throw new TollbookError(
        'invalid',
        `The period is longer than ${DAYS_MAX} days. Choose a shorter one.`,
        'startDate',
      );
    const organizations: OrganizationView[] = [];
    const keys = await services.records.adminKeys.list(caller.workspaceId);
    for (const key of keys) {
      const isOnly = keys.every(({ id, provider }) => id === key.id || provider !== key.provider);
      organizations.push(await reconcileOrganization(key, range, isOnly, services));
    }
    return { reasonNames: REASON_NAMES, organizations };
  },
);

/**
 * Reconciles one organization. `isOnly`: it is the only one of its provider, so the summary's figure belongs to it
 * alone.
 */
async function reconcileOrganization(
  key: AdminKey,
  range: Period,
  isOnly: boolean,
  services: ReconciliationServices,
): Promise<OrganizationView> {
  const compared = await services.providerReports.compare(key, range);
  if (!compared) return notComparedView(key);
  const collected = new ReconciliationTotals();
  for await (const day of compared.days()) collected.add(day);
  const listed = await organizationRangeCoverage(services, key, compared.range);
  const summary = isOnly ? await summaryToBill(services, key, compared.range, collected) : null;
  const payment = isOnly ? await paymentView(services, key, compared.range, collected.providerCost) : null;
  return { ...(await comparedView(key, { ...compared, listed }, collected, services)), summary, payment };
}

/** Applies credits and commitments to a bill. */
async function paymentView(
  services: ReconciliationServices,
  key: AdminKey,
  range: Period,
  providerCost: bigint,
): Promise<OrganizationView['payment']> {
  const all = await services.records.billLines.list(key.workspaceId);
  const changing = (await appliedLines(services, key, all, range)).filter(({ billed }) => billed !== 0n);
  if (changing.length === 0) return null;
  let unpaid = providerCost > 0n ? providerCost : 0n;
  const amounts = changing.map(({ line: { id, kind, name }, billed }) => {
    // The provider may have billed less than the ledger has.
    const amount = billed < -unpaid ? -unpaid : billed;
    if (amount < 0n) unpaid += amount;
    return { id, kind, name, amount };
  });
  return {
    lines: amounts.map((line) => ({ ...line, amount: usdFromNano(line.amount) })),
    due: usdFromNano(amounts.reduce((sum, { amount }) => sum + amount, providerCost)),
  };
}
