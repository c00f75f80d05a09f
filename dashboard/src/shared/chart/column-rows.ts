import { type ChartLayer, sum } from './stack.ts';

/** One value in one column of a chart. */
export interface ColumnRow {
  /** Index of its layer. */
  readonly layer: number;
  readonly amount: number;
  /** Share of the column, 0 to 1. */
  readonly share: number;
  /** Usage without a price that the amount leaves out; null = none. */
  readonly leftOut: string | null;
  /** Amount of the previous period; null = no comparison. */
  readonly previous: number | null;
}

export interface ColumnSum {
  readonly total: number;
  readonly previous: number | null;
  /** Largest first. Values without usage in this column and the one before are left out. */
  readonly rows: readonly ColumnRow[];
}

/** Lists what one column of a chart shows. */
export function columnSum(layers: readonly ChartLayer[], column: number): ColumnSum {
  const total = sum(layers.map(({ amounts }) => amounts[column] ?? 0));
  const rows = layers.map((layer, index): ColumnRow => {
    const amount = layer.amounts[column] ?? 0;
    return {
      layer: index,
      amount,
      share: total === 0 ? 0 : amount / total,
      leftOut: layer.leftOutAt[column] ?? null,
      previous: layer.previous && (layer.previous.amounts[column] ?? 0),
    };
  });
  return {
    total,
    previous: layers.some(({ previous }) => previous) ? sum(rows.map(({ previous }) => previous ?? 0)) : null,
    rows: rows
      .filter(({ amount, leftOut, previous }) => amount > 0 || leftOut !== null || (previous ?? 0) > 0)
      .toSorted((a, b) => b.amount - a.amount),
  };
}

/** Formats an amount with the usage that it leaves out; an amount of only such usage is unknown. */
export function amountText(amount: number, leftOut: string | null, format: (amount: number) => string): string {
  if (leftOut === null) return format(amount);
  return amount === 0 ? `Unknown, ${leftOut}` : `${format(amount)}, ${leftOut}`;
}
