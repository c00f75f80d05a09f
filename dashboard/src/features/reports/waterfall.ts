import type { ReasonNames, ReconciledOrganization } from './queries.ts';
import { shownReasons } from './reconciliation-text.ts';

/** One bar on the way from the ledger to the bill. */
export interface WaterfallStep {
  readonly name: string;
  /** Amount of a step, or a total. */
  readonly amount: number;
  readonly kind: 'total' | 'more' | 'less';
  /** Place of the bar, 0 to 1. */
  readonly from: number;
  readonly to: number;
}

/** Half a cent: smaller remainders come from rounding. */
const SMALLEST = 0.005;

/** Returns the steps from the ledger to the bill. Each step begins where the one before ends. */
export function waterfall(
  { ledgerCost, providerCost, reasons }: Pick<ReconciledOrganization, 'ledgerCost' | 'providerCost' | 'reasons'>,
  names: ReasonNames,
): readonly WaterfallStep[] {
  const steps = shownReasons(reasons).map(([reason, amount]) => ({ name: names[reason], amount }));
  const missing = providerCost - steps.reduce((sum, { amount }) => sum + amount, ledgerCost);
  const all = [...steps, { name: 'Calls whose lines have no price', amount: missing }];
  let sum = ledgerCost;
  const between = all
    .filter(({ amount }) => Math.abs(amount) >= SMALLEST)
    .map(({ name, amount }) => ({ name, amount, start: sum, end: (sum += amount) }));
  const bounds = [0, ledgerCost, providerCost, ...between.map(({ end }) => end)];
  const [low, high] = [Math.min(...bounds), Math.max(...bounds)];
  const place = (amount: number): number => (high === low ? 0 : (amount - low) / (high - low));
  const total = (name: string, amount: number): WaterfallStep => ({
    name,
    amount,
    kind: 'total',
    from: place(Math.min(0, amount)),
    to: place(Math.max(0, amount)),
  });
  return [
    total('Ledger', ledgerCost),
    ...between.map(({ name, amount, start, end }): WaterfallStep => ({
      name,
      amount,
      kind: amount > 0 ? 'more' : 'less',
      from: place(Math.min(start, end)),
      to: place(Math.max(start, end)),
    })),
    total('Bill', providerCost),
  ];
}
