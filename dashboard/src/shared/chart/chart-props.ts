import type { TimeStep } from '../format/time.ts';
import type { ChartLayer } from './stack.ts';

/** One step of one value, as it was picked: what to look into. */
export interface PickedBar {
  /** ISO 8601; `until` is exclusive, and null for the step under way. */
  readonly start: string;
  readonly until: string | null;
  readonly value: string | null;
}

export interface TimeChartProps {
  /** What is drawn, for who doesn't see it: "Cost by model". */
  readonly name: string;
  readonly starts: readonly string[];
  readonly step: TimeStep;
  /** Whose days the steps are; said under the chart. */
  readonly zone: string;
  readonly layers: readonly ChartLayer[];
  readonly nameOf: (value: string | null) => string;
  readonly format: (amount: number) => string;
  readonly onPick: (picked: PickedBar) => void;
}
