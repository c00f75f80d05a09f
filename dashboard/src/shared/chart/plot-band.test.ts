import { expect, test } from 'vitest';
import { plotArea } from './plot-area.ts';
import { bandPaths } from './plot-band.tsx';
import { plotScale } from './plot-scale.ts';

test('the line of a band breaks where a column has no range', () => {
  const area = plotArea({ width: 400, columns: 4, characters: 3, isRunningTotal: true });
  const range = { low: 1, middle: 2, high: 4 };
  const { middle } = bandPaths(area, plotScale([4]), { name: 'Usual', columns: [range, range, null, range] });
  expect(middle.match(/M/gu)).toHaveLength(2);
  expect(middle.match(/L/gu)).toHaveLength(1);
});

test('the range of a column reaches from its lowest to its highest amount', () => {
  const area = plotArea({ width: 400, columns: 1, characters: 3, isRunningTotal: true });
  const columns = [{ low: 0, middle: 1, high: 4 }];
  const { range } = bandPaths(area, plotScale([4]), { name: 'Usual', columns });
  expect(range).toContain(`V${area.top}H`);
  expect(range).toContain(`V${area.bottom}Z`);
});
