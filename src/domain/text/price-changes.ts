import { formatDate } from './dates.ts';
import { formatChange } from './percent.ts';

interface ChangedPrice {
  readonly kind: 'new' | 'changed' | 'removed';
  readonly from: string | null;
  readonly isLarge: boolean;
}

interface ChangedFigure {
  readonly name: string;
  readonly before: number | null;
  readonly after: number | null;
}

/** Says what happens to the price of a model: `Changed from 1 Dec 2026, large`. */
export function describePriceChange({ kind, from, isLarge }: ChangedPrice): string {
  const word = { new: 'New', changed: 'Changed', removed: 'Removed' }[kind];
  return `${word}${from === null ? '' : ` from ${formatDate(from, 'UTC')}`}${isLarge ? ', large' : ''}`;
}

/** Says how one figure changes: `input 2 → 2.2 (+10%)`. */
export function describeFigure({ name, before, after }: ChangedFigure): string {
  const shown = (figure: number | null): string => (figure === null ? 'none' : String(figure));
  if (before === null) return `${name} ${shown(after)}`;
  const change = after === null || before === 0 ? null : formatChange(after, before);
  return `${name} ${shown(before)} → ${shown(after)}${change === null ? '' : ` (${change})`}`;
}
