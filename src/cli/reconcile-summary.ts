import type { ReconciliationShape } from '../contract/reconciliation.ts';
import { textLines } from './text-lines.ts';
import { usdText } from './usd-text.ts';

type SummaryFigures = ReconciliationShape['organizations'][number];

const NAME_WIDTH = 46;
const AMOUNT_WIDTH = 14;
const STEPS = {
  beside: 'use beside the gate, as charged',
  gate: 'calls through the gate, by the reasons below',
  open: 'days still open, and keys or prices not told',
  elsewhere: 'calls of other workspaces or organizations',
} as const;

/** From the figure of the usage summary to what the provider charges. */
export function summaryLines({ summary, provider, providerCost }: SummaryFigures): string[] {
  if (summary === null)
    return textLines(
      `The usage summary has all organizations of ${provider} in one figure, which leads to none of their bills alone.`,
    );
  const { gate, beside, total, toBill } = summary;
  const steps = (['beside', 'gate', 'open', 'elsewhere'] as const).filter((name) => toBill[name] !== 0);
  const has = `The usage summary has ${usdText(total)} of these days: ${usdText(gate)} through the gate and ${usdText(beside)} beside it, at list price or your own.`;
  const same =
    steps.length === 0 ? ' The provider charges the same.' : ` From there to the provider’s ${usdText(providerCost)}:`;
  return [
    ...textLines(has + same),
    ...steps.map((name) => `  ${STEPS[name].padEnd(NAME_WIDTH)}${usdText(toBill[name]).padStart(AMOUNT_WIDTH)}`),
  ];
}
