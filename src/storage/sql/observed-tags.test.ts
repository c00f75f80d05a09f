import { expect, test } from 'vitest';
import { emptySqliteStore } from '../../../test/support/empty-database.ts';
import { FIRST_DAY, WHOLE } from '../../../test/support/arbitrary-entry.ts';
import { WINDOW_PRICING } from '../../../test/support/four-windows.ts';
import { NO_CONTEXT } from '../../domain/usage/call-context.ts';
import type { ObservedCall } from '../../domain/observed/observed-call.ts';
import { NO_TERMS } from '../../domain/usage/usage.ts';
import { sumTotals } from '../../domain/usage/usage-totals.ts';
import { DAY_MS, HOUR_MS } from '../../domain/time/units.ts';

const inferences = [{ model: null, tokens: { output: 1 }, promptTokens: 0 }];

function taggedCall(id: string, startedAt: number, tags: Record<string, string>): ObservedCall {
  return {
    observationId: id,
    source: 'usage_event',
    signal: 'event',
    assistant: null,
    tokenId: 'tok_1',
    providerIds: [`req_${id}`],
    callId: null,
    provider: 'openai',
    model: 'claude-x',
    startedAt,
    endedAt: startedAt + 1,
    session: null,
    context: NO_CONTEXT,
    tags,
    usage: { inferences, uses: {}, thinking: 0, terms: NO_TERMS },
    statedCost: null,
  };
}

test('tags above the maximum of a day are summed together, and known ones under themselves', async () => {
  const { observed } = emptySqliteStore();
  const observe = (...calls: ObservedCall[]) =>
    observed.observe({ workspaceId: 'ws_1', calls, at: FIRST_DAY }, () => WINDOW_PRICING);
  const calls = async (key: string, value: string): Promise<number> =>
    sumTotals(await observed.countedSums('ws_1', WHOLE, { key, value, valuesMax: 10 })).calls;
  await observe(taggedCall('first', FIRST_DAY, { team: 'a' }));
  const many = Array.from({ length: 640 }, (_, call) =>
    taggedCall(
      `call ${call}`,
      FIRST_DAY + HOUR_MS,
      Object.fromEntries(Array.from({ length: 16 }, (__, tag) => [`key ${tag}`, `value ${call}`])),
    ),
  );
  await observe(...many);
  await observe(taggedCall('again', FIRST_DAY, { team: 'a' }), taggedCall('new', FIRST_DAY, { team: 'b' }));
  await observe(taggedCall('next day', FIRST_DAY + DAY_MS, { team: 'b' }));
  expect([await calls('team', 'a'), await calls('team', 'b')]).toEqual([2, 1]);
  expect(await calls('(other)', '(other)')).toBe(640 * 16 + 1 - 9_999);
});

test('a limit on each value reads the values with the highest cost', async () => {
  const { observed } = emptySqliteStore();
  const calls = ['a', 'b', 'b', 'c', 'c', 'c'].map((team, index) =>
    taggedCall(`${index}`, FIRST_DAY + HOUR_MS, { team }),
  );
  await observed.observe({ workspaceId: 'ws_1', calls, at: FIRST_DAY }, () => WINDOW_PRICING);
  const part = { start: FIRST_DAY + HOUR_MS / 2, end: FIRST_DAY + 1.5 * HOUR_MS };
  for (const range of [WHOLE, part]) {
    const found = await observed.countedSums('ws_1', range, { key: 'team', value: null, valuesMax: 2 });
    expect(new Set(found.map(({ value }) => value))).toEqual(new Set(['b', 'c']));
  }
});
