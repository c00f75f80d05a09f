import { expect, test } from 'vitest';
import { openTestBook } from '../../../test/test-book.ts';

test('while nothing looks for anomalies, their absence is never reported', async () => {
  const book = await openTestBook();
  try {
    const token = await book.createToken(['usage:read']);
    const report = await book.json<{ detecting: boolean; message: string }>('/api/mcp/anomalies', { token });
    expect(report).toMatchObject({ detecting: false, anomalies: [] });
    expect(report.message).toContain('nobody has looked');
    const workspace = await book.json('/api/mcp/workspace', { token });
    expect(workspace).toEqual({ id: 'ws_default', name: expect.any(String), timeZone: 'UTC' });
  } finally {
    await book.close();
  }
});
