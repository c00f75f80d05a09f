import { afterAll, beforeAll, expect, test } from 'vitest';
import { NOW, openTestLedger, type TestLedger } from '../../test/test-ledger.ts';
import type { AlertType } from '../domain/alerts/alert.ts';
import type { AlertShape } from '../contract/alerts.ts';

let it: TestLedger;

async function raise(episode: string, at: number, type: AlertType = 'COST_SPIKE'): Promise<void> {
  await it.ledger.raise({
    type,
    severity: 'warning',
    workspaceId: 'ws_default',
    title: episode,
    message: episode,
    episode,
    createdAt: at,
    scope: {},
    value: null,
    threshold: null,
    period: null,
    evidence: {},
  });
}

beforeAll(async () => {
  it = await openTestLedger();
  // Several alerts have the same time: a page may end between them.
  for (let each = 0; each < 130; each += 1) await raise(`spike ${each}`, NOW - Math.floor(each / 4) * 1_000);
  await raise('a limit', NOW - 3_600_000, 'BUDGET_WARNING');
});
afterAll(() => it.close());

test('pages list every alert once, newest first', async () => {
  const found: AlertShape[] = [];
  for (;;) {
    const before = found.at(-1)?.id;
    const page = await it.json<AlertShape[]>(`/api/mcp/alerts?limit=50${before ? `&before=${before}` : ''}`);
    found.push(...page);
    if (page.length < 50) break;
  }
  expect([found.length, new Set(found.map(({ id }) => id)).size]).toEqual([131, 131]);
  const times = found.map(({ createdAt }) => createdAt);
  expect(times).toEqual(times.toSorted().toReversed());
});

test('alerts are filtered by type', async () => {
  const found = await it.json<AlertShape[]>('/api/mcp/alerts?type=BUDGET_WARNING');
  expect(found.map(({ title }) => title)).toEqual(['a limit']);
});

test('alerts are filtered by severity', async () => {
  expect(await it.json<AlertShape[]>('/api/mcp/alerts?severity=critical')).toEqual([]);
  expect(await it.json<AlertShape[]>('/api/mcp/alerts?severity=warning&limit=7')).toHaveLength(7);
});

test('one alert is read by its ID without being marked, and is not found in another workspace', async () => {
  const [first] = await it.json<AlertShape[]>('/api/mcp/alerts?limit=1');
  expect(await it.json<AlertShape>(`/api/mcp/alerts/${first?.id}`)).toEqual({ ...first, read: false });
  const other = await it.json<{ id: string }>('/api/manage/workspaces', { method: 'POST', body: { name: 'other' } });
  const headers = { 'x-svc-workspace': other.id };
  expect((await it.ask(`/api/mcp/alerts/${first?.id}`, { headers })).status).toBe(404);
  expect((await it.ask(`/api/mcp/alerts?before=${first?.id}`, { headers })).status).toBe(404);
});
