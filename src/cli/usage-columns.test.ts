import { expect, test } from 'vitest';
import { sumUses } from '../sessions/reports/model-use.ts';
import type { LocalReport } from '../sessions/reports/local-report.ts';
import { usageColumns } from './usage-columns.ts';

function sessionCells(...ids: string[]): readonly string[] | undefined {
  const totals = sumUses([]);
  const groups = ids.map((sessionId) => ({ sessionId, last: 0, project: null, models: [], totals }));
  const report = { by: 'session', groups, blocks: [], totals, timeZone: 'UTC', now: 0 } as unknown as LocalReport;
  return usageColumns(report).find(({ heading }) => heading === 'SESSION')?.cells;
}

test('two sessions never show the same id, also if they began in the same minute', () => {
  expect(sessionCells('0190a1b2-c3d4-1', 'ffffffff-0000-1')).toEqual(['0190a1b2', 'ffffffff', '']);
  expect(sessionCells('0190a1b2-c3d4-1', '0190a1b2-c3e5-1')).toEqual(['0190a1b2-c3d', '0190a1b2-c3e', '']);
  expect(sessionCells('same-id-0', 'same-id-0')).toEqual(['same-id-', 'same-id-', '']);
});
