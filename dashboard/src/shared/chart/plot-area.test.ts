import { expect, test } from 'vitest';
import { barParts, columnAt, columnCenter, plotArea } from './plot-area.ts';
import { plotScale } from './plot-scale.ts';

const AREA = plotArea({ width: 800, columns: 30, characters: 5, isRunningTotal: false });

test('the center of each column is in that column, and places outside are in the nearest one', () => {
  for (let column = 0; column < 30; column += 1) expect(columnAt(AREA, columnCenter(AREA, column), 30)).toBe(column);
  expect([columnAt(AREA, -50, 30), columnAt(AREA, 5_000, 30)]).toEqual([0, 29]);
});

test('the parts of a bar touch each other from the axis up', () => {
  const layers = [{ amounts: [6] }, { amounts: [0] }, { amounts: [2] }];
  const scale = plotScale([8, 0.1]);
  const [large, small, ...rest] = barParts(AREA, scale, layers, 0);
  expect(rest).toEqual([]);
  expect([large?.layer, small?.layer]).toEqual([0, 2]);
  expect((large?.y ?? 0) + (large?.height ?? 0)).toBeCloseTo(AREA.bottom);
  expect((small?.y ?? 0) + (small?.height ?? 0)).toBeCloseTo(large?.y ?? 0);
  expect((large?.height ?? 0) / (small?.height ?? 1)).toBeCloseTo(3);
});

test('a column without usage has no bar', () => {
  expect(barParts(AREA, plotScale([1]), [{ amounts: [0, 1] }], 0)).toEqual([]);
});
