import { usdFromNano } from '../../domain/money/money.ts';
import type { Collected } from '../../domain/reconciliation/collected.ts';
import type { ReasonName } from '../../domain/reconciliation/reasons.ts';
import type { AdminKey } from '../../storage/records/admin-key-records.ts';
import type { Range } from '../../storage/store.ts';
import type { ReconciliationShape } from '../../contract/reconciliation.ts';
import type { Services } from '../services.ts';

type SummaryToBill = ReconciliationShape['organizations'][number]['summary'];

/** Where the bill has each reason: beside the gate, for calls through it, or not to be told (yet). */
const PLACES = {
  not_through_the_gate: 'beside',
  batch: 'beside',
  fees: 'beside',
  uncertain_calls: 'gate',
  price_drift: 'gate',
  no_price: 'gate',
  rounding: 'gate',
  unexplained: 'gate',
  key_unknown: 'open',
  settling: 'open',
} as const satisfies Record<ReasonName, 'beside' | 'gate' | 'open'>;

/**
 * What the usage summary has of a provider and the same days, and by what the bill is another one: the summary counts
 * use beside the gate at its workspace's prices, and calls as the book has them.
 */
export async function summaryToBill(
  { reports, reportRest }: Pick<Services, 'reports' | 'reportRest'>,
  { workspaceId, provider }: AdminKey,
  range: Range,
  { reasons, bookCost, unpricedBookCost }: Collected,
): Promise<NonNullable<SummaryToBill>> {
  const gate = (await reports.summary(workspaceId, range)).byProvider.get(provider)?.cost ?? 0n;
  const rests = (await reportRest.sums(workspaceId, range)).filter((rest) => rest.provider === provider);
  const beside = rests.reduce((sum, { totals }) => sum + totals.cost, 0n);
  const toBill = { beside: -beside, gate: 0n, open: -unpricedBookCost, elsewhere: bookCost - gate };
  for (const [reason, place] of Object.entries(PLACES) as [ReasonName, (typeof PLACES)[ReasonName]][])
    toBill[place] += reasons[reason];
  return {
    gate: usdFromNano(gate),
    beside: usdFromNano(beside),
    total: usdFromNano(gate + beside),
    toBill: {
      beside: usdFromNano(toBill.beside),
      gate: usdFromNano(toBill.gate),
      open: usdFromNano(toBill.open),
      elsewhere: usdFromNano(toBill.elsewhere),
    },
  };
}
