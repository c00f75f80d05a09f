import { describe, expect, test } from 'vitest';
import { type NumberColumn, numberTable } from './number-table.ts';

const columns: readonly NumberColumn[] = [
  { heading: 'DAY', cells: ['2026-11-20', 'Total'] },
  { heading: 'MODELS', cells: ['opus-5, sonnet-5, haiku-4-5', ''], short: ['opus-5, sonnet-5 +1', ''], names: true },
  { heading: 'INPUT', cells: ['1,234,567', '12,345,678'], short: ['1.23M', '12.3M'] },
  { heading: 'COST', cells: ['$9.00', '$10.00'] },
];

describe('a table of numbers', () => {
  test('aligns numbers to the right and names to the left, with the sum under a rule', () => {
    expect(numberTable(columns, 80).split('\n')).toEqual([
      'DAY         MODELS                            INPUT    COST',
      '2026-11-20  opus-5, sonnet-5, haiku-4-5   1,234,567   $9.00',
      '─'.repeat(59),
      'Total                                    12,345,678  $10.00',
    ]);
  });

  test.each([58, 50, 43, 40, 30])('fits in %i columns', (width) => {
    const lines = numberTable(columns, width).split('\n');
    expect(lines.filter((line) => line.length > width)).toEqual([]);
    expect(lines.at(-1)).toMatch(/12\.3M +\$10\.00$/);
  });

  test('leaves out names only if nothing else helps, and never the first column or a number', () => {
    expect(numberTable(columns, 30)).not.toContain('MODELS');
    expect(numberTable(columns, 5).split('\n').at(-1)).toBe('Total       12.3M  $10.00');
  });

  test('has only a heading and the sum if there are no rows', () => {
    expect(numberTable([{ heading: 'DAY', cells: ['Total'] }], 80)).toBe('DAY\n─────\nTotal');
  });

  test('prints no control characters', () => {
    expect(numberTable([{ heading: 'A', cells: ['x\u001B[2J', ''] }], 80)).not.toContain('\u001B');
  });
});
