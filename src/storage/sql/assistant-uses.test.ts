import { expect, test } from 'vitest';
import { FIRST_DAY, WHOLE } from '../../../test/support/arbitrary-entry.ts';
import { emptySqliteStore } from '../../../test/support/empty-database.ts';
import { WINDOW_PRICING } from '../../../test/support/four-windows.ts';
import { DAY_MS, HOUR_MS } from '../../domain/time/units.ts';

test('too much usage of assistants is read from the newest day on, in whole days', async () => {
  const store = emptySqliteStore();
  const records = [0, HOUR_MS, DAY_MS, 2 * DAY_MS, 2 * DAY_MS + HOUR_MS].map((later) => ({
    sessionId: 'a'.repeat(64),
    projectId: 'b'.repeat(64),
    model: 'claude-x',
    inputTokens: 1,
    outputTokens: 1,
    cacheReadTokens: 0,
    cacheCreationTokens: 0,
    timestamp: new Date(FIRST_DAY + later).toISOString(),
  }));
  const given = { workspaceId: 'ws_default', source: 'claude_code', tokenId: 'tok_1', records } as const;
  await store.sessions.upload(given, WINDOW_PRICING);
  const read = async (valuesMax: number) => {
    const { uses, from } = await store.sessions.assistantUses('ws_default', { range: WHOLE, valuesMax });
    return [uses.length, (from - FIRST_DAY) / DAY_MS];
  };
  expect(await read(5)).toEqual([5, 0]);
  expect(await read(3)).toEqual([3, 1]);
  expect(await read(1)).toEqual([2, 2]);
  await store.close();
});
