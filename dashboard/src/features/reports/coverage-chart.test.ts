import { expect, test } from 'vitest';
import { coverageLayers } from './coverage-chart.tsx';

test('a day without spend has empty columns, and a part without spend has no color', () => {
  const point = { start: '2026-03-01', total: 5, throughGateway: 3, outsideGateway: 2, unknown: 0, share: 0.6 };
  const layers = coverageLayers([point, { ...point, start: '2026-03-03' }], ['2026-03-01', '2026-03-02', '2026-03-03']);
  expect(layers.map(({ value, amounts }) => [value, amounts])).toEqual([
    ['Through the gateway', [3, 0, 3]],
    ['Outside the gateway', [2, 0, 2]],
  ]);
});
