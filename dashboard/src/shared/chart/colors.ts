import { type ChartLayer, OTHER_VALUES } from './stack.ts';

const SERIES_COLORS = 8;

/** Name of a colour of theme.css for each layer, in the order of the layers; what is left over is grey. */
export function assignColors(layers: readonly Pick<ChartLayer, 'value'>[]): readonly string[] {
  let next = 0;
  return layers.map(({ value }) => {
    const rest = value === OTHER_VALUES || (value === null && layers.length > 1);
    if (rest) return '--series-other';
    next = (next % SERIES_COLORS) + 1;
    return `--series-${next}`;
  });
}
