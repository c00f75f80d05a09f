import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NOW, openTestLedger, type TestLedger } from '../../test/test-ledger.ts';
import { refusedCall } from '../../test/support/refused-call.ts';
import { callTool, connectInProcess } from '../../test/tool-host.ts';
import { HOUR_MS } from '../domain/time/units.ts';
import { NO_CONTEXT } from '../domain/usage/call-context.ts';

let it: TestLedger;
let host: Client;
const context = { ...NO_CONTEXT, session: 'night', agent: 'reader', run: 'run 1' };

beforeAll(async () => {
  it = await openTestLedger();
  host = await connectInProcess(
    (request) => it.ledger.fetch(request, { caller: 'public' }),
    await it.createToken(['usage:read']),
  );
  await it.ship([it.entry({ context: { ...context, agent: null } }), it.entry({ context })]);
  const amounts = { at: NOW - HOUR_MS, needed: 2_000_000_000, left: 500_000_000 };
  await it.refuse([
    refusedCall('call_1', { ...amounts, context, value: 'night/reader' }),
    refusedCall('call_2', { ...amounts, context: { ...context, agent: null } }),
    refusedCall('call_3', { at: NOW - HOUR_MS, isSum: true, calls: 7, model: null, needed: null, left: null }),
    refusedCall('call_4', { ...amounts, at: NOW - 48 * HOUR_MS }),
  ]);
});
afterAll(async () => {
  await host.close();
  await it.close();
});

describe('svc_list_refused_calls', () => {
  test('lists refused calls of the last day with what they needed and what was left', async () => {
    const { data, text } = await callTool(host, 'svc_list_refused_calls');
    expect(data?.['refusals']).toHaveLength(3);
    expect(data).toMatchObject({ hasMore: false });
    expect(text).toContain('9 refused calls');
    expect(text).toContain('| claude-opus-4-5 | lim_1 (night/reader) | Needed more than was left | $2.00 | $0.50 |');
    const first = await callTool(host, 'svc_list_refused_calls', { limit: 1, period: 'last_7d' });
    expect(first.data).toMatchObject({ hasMore: true, refusals: [{ calls: 7 }] });
    expect(first.text).toContain('There are older ones');
  });

  test('filters by session, agent, run and reason', async () => {
    const listed = async (filter: Record<string, string>) => {
      const { data } = await callTool(host, 'svc_list_refused_calls', filter);
      const refusals = data?.['refusals'] as { agent: string | null }[] | undefined;
      return refusals?.map(({ agent }) => agent);
    };
    expect(await listed({ session: 'night' })).toEqual([null, 'reader']);
    expect(await listed({ agent: 'reader' })).toEqual(['reader']);
    expect(await listed({ run: 'run 1', session: 'other' })).toEqual([]);
    expect(await listed({ reason: 'spent' })).toEqual([]);
    expect((await callTool(host, 'svc_list_refused_calls', { reason: 'spent' })).text).toMatch(
      /^No refused calls from/,
    );
    expect((await callTool(host, 'svc_list_refused_calls', { reason: 'any' })).text).toContain('reason must be one of');
  });
});

test('svc_get_usage_summary counts refused calls apart from the calls that were sent', async () => {
  const { data, text } = await callTool(host, 'svc_get_usage_summary', { period: 'last_24h' });
  expect(data).toMatchObject({ totalCalls: 2, refusedCalls: 9 });
  expect(text).toContain('Limits refused 9 more calls, at no cost');
  const none = await callTool(host, 'svc_get_usage_summary', { startDate: '2026-01-01', endDate: '2026-01-02' });
  expect(none.data).not.toHaveProperty('refusedCalls');
});

describe('svc_get_session_usage', () => {
  test('shows what each agent of a session used', async () => {
    const { data, text } = await callTool(host, 'svc_get_session_usage', { session: 'nig' });
    expect(data).toMatchObject({ session: 'night', total: { calls: 2 }, runs: [{ value: 'run 1', calls: 2 }] });
    expect(data).not.toHaveProperty('keys');
    expect(text).toContain('for 2 calls of session night');
    expect(text).toMatch(/\| reader \| \(main\) \| \$0\.\d+ \| \$0\.\d+ \| 1 \|/);
    expect(text).toMatch(/\| \(main\) \|  \| \$0\.\d+ \| \$0\.\d+ \| 1 \|/);
  });

  test('says that there is no call of a session', async () => {
    const { isError, text } = await callTool(host, 'svc_get_session_usage', { session: 'none' });
    expect({ isError, text }).toEqual({
      isError: true,
      text: expect.stringContaining('no call of the session "none"'),
    });
  });
});
