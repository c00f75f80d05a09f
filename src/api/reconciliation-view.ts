import { type SpendCoverage, NO_COVERAGE, throughGatewayShare } from '../domain/reconciliation/coverage.ts';
import { usdFromNano } from '../domain/money/money.ts';
import { type Period, utcDate } from '../domain/time/period.ts';
import type { RateCard } from '../domain/pricing/price.ts';
import { provenanceName, type SeenProvenance } from '../domain/reconciliation/gateway-use.ts';
import { cardVersions, isCustomVersion } from '../domain/pricing/provenance.ts';
import type { ReportName } from '../domain/reconciliation/provider-report.ts';
import type { ReconciledLine } from '../domain/reconciliation/reconcile.ts';
import { ReconciliationTotals, type PriceDrift } from '../domain/reconciliation/reconciliation-totals.ts';
import { FEMTO_PER_PICO } from '../domain/reconciliation/exact-amounts.ts';
import { type ReasonName, REASONS } from '../domain/reconciliation/reasons.ts';
import { unresolvedSentence } from '../domain/reconciliation/unresolved-calls.ts';
import { TOKEN_CLASSES, USE_CLASSES } from '../domain/usage/usage.ts';
import type { AdminKey } from '../storage/records/admin-keys.ts';
import type { ReconciliationShape } from '../contract/reconciliation.ts';
import type { Records } from '../storage/records/records.ts';
import type { PriceBook } from '../prices/price-book.ts';
import type { Provider } from '../providers/provider.ts';
import type { ProviderReportService } from './provider-reports.ts';

export interface ReconciliationViewServices {
  readonly records: Records;
  readonly prices: PriceBook;
  readonly providers: ReadonlyMap<string, Provider>;
  readonly providerReports: ProviderReportService;
}

type OrganizationReconciliation = ReconciliationShape['organizations'][number];
type DriftedPrice = OrganizationReconciliation['prices'][number];

/** Most lines, keys and prices of an organization that are shown. */
const LINES_MAX = 1_000;
const KEYS_MAX = 100;
const PRICES_MAX = 100;
const MILLION = 1_000_000;
const PICO_PER_USD = 1e12;

interface ComparedReports {
  readonly range: Period;
  readonly names: readonly ReportName[];
  /** Days before this are final. */
  readonly closedBefore: number;
  wrappedIn(key: string): ReadonlySet<string>;
  /** Spend of the same days through the gateway, at list price. */
  readonly listed: SpendCoverage;
}

export function notComparedView({ id, name, provider }: AdminKey): OrganizationReconciliation {
  const sums = collectedSums(new ReconciliationTotals(), { closedBefore: null, listed: NO_COVERAGE });
  return {
    id,
    name,
    provider,
    start: null,
    end: null,
    ...sums,
    summary: null,
    payment: null,
    keys: [],
    unresolvedCalls: [],
    prices: [],
    lines: [],
    hiddenLines: 0,
  };
}

export async function comparedView(
  { id, workspaceId, name, provider }: AdminKey,
  { range, names, closedBefore, wrappedIn, listed }: ComparedReports,
  collected: ReconciliationTotals,
  services: ReconciliationViewServices,
): Promise<Omit<OrganizationReconciliation, 'summary' | 'payment'>> {
  const known = new Map(names.filter(({ kind }) => kind === 'key').map((key) => [key.id, key.name]));
  const own = new Map((await services.records.keys.list(workspaceId)).map((key) => [key.id, key.name]));
  const wrappedOf = memoize((key) =>
    [...wrappedIn(key)].flatMap((wrapped) => own.get(wrapped) ?? []).slice(0, KEYS_MAX),
  );
  const keyOf = (key: string | null): OrganizationReconciliation['keys'][number]['key'] =>
    key === null ? null : { id: key, name: known.get(key) ?? null, wrapped: wrappedOf(key) };
  const prices: DriftedPrice[] = [];
  for (const drift of collected.drifts.slice(0, PRICES_MAX))
    prices.push(await driftedPriceView(drift, provider, range, services));
  return {
    id,
    name,
    provider,
    start: utcDate(range.start),
    end: utcDate(range.end),
    ...collectedSums(collected, { closedBefore: Math.min(range.end, Math.max(range.start, closedBefore)), listed }),
    keys: sortedByKey(collected, 'outside_gateway', 'batch').map(({ key, reason, amount }) => ({
      key: keyOf(key),
      reason,
      amount: usdFromNano(amount),
    })),
    unresolvedCalls: sortedByKey(collected, 'uncertain_calls').map(({ key, amount }) => {
      const unresolved = key === null ? null : services.providerReports.unresolvedCalls(id, key, range);
      return { key: keyOf(key), amount: usdFromNano(amount), why: unresolved && unresolvedSentence(unresolved) };
    }),
    prices,
    lines: collected.largestLines.map((line) => ({ ...reconciledLineView(line), key: keyOf(line.key) })),
    hiddenLines: Math.max(0, collected.lines - LINES_MAX),
  };
}

/** Sorts keys by amount, largest first. */
function sortedByKey<Reason extends keyof ReconciliationTotals['byKey']>(
  { byKey }: ReconciliationTotals,
  ...reasons: readonly Reason[]
) {
  return reasons
    .flatMap((reason) => [...byKey[reason]].map(([key, amount]) => ({ key, reason, amount })))
    .filter(({ amount }) => amount !== 0n)
    .toSorted((a, b) => Number(b.amount - a.amount) || ((a.key ?? '') < (b.key ?? '') ? -1 : 1))
    .slice(0, KEYS_MAX);
}

function memoize<Of>(read: (key: string) => Of): (key: string) => Of {
  const known = new Map<string, Of>();
  return (key) => {
    if (!known.has(key)) known.set(key, read(key));
    return known.get(key) ?? read(key);
  };
}

function collectedSums(
  collected: ReconciliationTotals,
  { closedBefore, listed }: { closedBefore: number | null; listed: SpendCoverage },
) {
  const { ledgerCost, providerCost, reasons, coverage, corrected, apart, unpricedLines } = collected;
  const { passed, unknown: unclear, total } = coverage;
  return {
    ledgerCost: usdFromNano(ledgerCost),
    providerCost: usdFromNano(providerCost),
    billedCost: nanoToUsdOrNull(collected.billedCost),
    listCost: usdFromNano(collected.listCost),
    reasons: Object.fromEntries(REASONS.map((reason) => [reason, usdFromNano(reasons[reason])])) as Record<
      ReasonName,
      number
    >,
    coverage: {
      throughGateway: usdFromNano(passed),
      unknown: usdFromNano(unclear),
      total: usdFromNano(total),
      share: throughGatewayShare({ total, unknown: unclear, unproxied: total - passed - unclear }),
      until: closedBefore === null ? null : utcDate(closedBefore),
      atListPrice: {
        throughGateway: usdFromNano(listed.total - listed.unproxied - listed.unknown),
        total: usdFromNano(listed.total),
        share: throughGatewayShare(listed),
      },
    },
    corrected: { calls: corrected.calls, cost: usdFromNano(corrected.cost) },
    unmatched: { calls: apart.calls, cost: usdFromNano(apart.cost) },
    unpricedLines,
  };
}

function reconciledLineView(line: ReconciledLine): Omit<OrganizationReconciliation['lines'][number], 'key'> {
  const { day, model, ledgerCost, ledgerCalls, providerCost, missing, difference, reasons } = line;
  return {
    day: utcDate(day),
    model,
    ledgerCost: usdFromNano(ledgerCost),
    ledgerCalls,
    providerCost: nanoToUsdOrNull(providerCost),
    missing,
    difference: nanoToUsdOrNull(difference),
    reasons: reasons.map(({ reason, amount }) => ({ reason, amount: usdFromNano(amount) })),
  };
}

async function driftedPriceView(
  drift: PriceDrift,
  provider: string,
  range: Period,
  services: Pick<ReconciliationViewServices, 'records' | 'prices' | 'providers'>,
): Promise<DriftedPrice> {
  const { model, price, provenance, since, amount } = drift;
  return {
    model,
    price,
    version: provenance && provenanceName(provenance),
    since: utcDate(since),
    isOlder: since === range.start,
    amount: usdFromNano(amount),
    rates: provenance === null ? billedRates(drift) : await ownRates(drift, provenance, provider, services),
  };
}

function billedRates({ rates }: PriceDrift): DriftedPrice['rates'] {
  return [...rates.values()].map(({ name, terms, listed, billed }) => ({
    class: name,
    terms,
    ours: listed === null ? null : usdPerMillion(Number(listed) / Number(FEMTO_PER_PICO)),
    theirs: usdPerMillion(Number(billed) / Number(FEMTO_PER_PICO)),
  }));
}

/**
 * Returns rates that differ from the provider's, for the shortest prompts at standard speed and models that were used.
 * Leaves out other workspaces' custom prices.
 */
async function ownRates(
  { model, classes, since }: PriceDrift,
  provenance: SeenProvenance,
  provider: string,
  { records, prices, providers }: Pick<ReconciliationViewServices, 'records' | 'prices' | 'providers'>,
): Promise<DriftedPrice['rates']> {
  if (provenance.from === 'hidden') return [];
  const versions = cardVersions(provenance);
  const own = await records.priceCards.get(versions.find(isCustomVersion) ?? versions[0] ?? '');
  if (!own) return [];
  const listed = model && prices.resolve('', providers.get(provider)?.priceProvider ?? provider, model, since);
  return [...TOKEN_CLASSES, ...USE_CLASSES]
    .filter((name) => classes.has(name))
    .map((name) => ({ class: name, terms: '', ours: billedRate(own, name), theirs: billedRate(listed || null, name) }))
    .filter(({ ours, theirs }) => ours !== theirs);
}

function billedRate(card: RateCard | null, name: string): number | null {
  const rates: Readonly<Record<string, number>> = { ...card?.fees, ...card?.tiers[0]?.rates };
  const rate = rates[name];
  return rate === undefined ? null : usdPerMillion(rate);
}

function usdPerMillion(pico: number): number {
  return Number(((pico * MILLION) / PICO_PER_USD).toFixed(6));
}

function nanoToUsdOrNull(nano: bigint | null): number | null {
  return nano === null ? null : usdFromNano(nano);
}
