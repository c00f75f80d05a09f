import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ProviderDouble, startProviderDouble } from '../doubles/provider-double.ts';
import { eventually, type Service, startService } from '../service.ts';
import { summaryOf } from '../clients/clients.ts';

let double: ProviderDouble;
let service: Service;
beforeAll(async () => {
  double = await startProviderDouble();
  service = await startService({ urls: double.urls });
});
afterAll(async () => {
  await service?.close();
  await double?.close();
});

const body = { model: 'claude-haiku-4-5', max_tokens: 1_000, messages: [{ role: 'user', content: 'Hi' }] };

async function call(key: string): Promise<Response> {
  return await fetch(`${service.baseUrl}/api/proxy/anthropic/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

const entriesOf = () =>
  service.report<{ entries: Record<string, unknown>[] }>('/api/mcp/entries').then(({ entries }) => entries);
const totalCost = async (basis: string): Promise<number> =>
  (await service.report<{ totalCost: number }>(`/api/mcp/usage/summary?cost=${basis}`)).totalCost;

test('a discount holds and counts less, is shown in three columns, and is taken back from its calls with its removal', async () => {
  const key = await service.createKey('anthropic');
  double.plan(...[1, 2, 3].map(() => ({ tokens: { input: 1_000, output: 200 } })));
  expect((await call(key)).headers.get('x-svc-cost-usd')).toBe('0.002000000');
  await summaryOf(service, 1);
  const set = ['contracts', 'set', '--provider', 'anthropic', '--model', 'claude-*', '--discount', '24'];
  const preview = await service.command([...set, '--dry-run']);
  expect(preview).toMatchObject({
    calls: 1,
    unpricedCalls: 0,
    costBefore: 0.002,
    costAfter: 0.00152,
    isComplete: true,
  });
  await expect(service.command(set)).rejects.toThrow('use --yes');
  expect(await service.command(['contracts', 'list'])).toEqual([]);
  const { id, ...discount } = await service.command<{ id: string; multiplier: number }>([...set, '--yes']);
  expect(discount.multiplier).toBe(0.76);
  // The call before it began after the contract did.
  await eventually(
    () => totalCost('effective'),
    (cost) => cost === 0.00152,
  );
  const answer = await call(key);
  expect(answer.headers.get('x-svc-cost-usd')).toBe('0.001520000');
  await summaryOf(service, 2);
  const [newest, first] = await entriesOf();
  for (const entry of [newest, first])
    expect(entry).toMatchObject({ cost: 0.00152, contractedCost: 0.00152, listCost: 0.002 });
  expect([await totalCost('list'), await totalCost('contracted')]).toEqual([0.004, 0.00304]);
  const detail = await service.report<{ lines: { multiplier: number }[] }>(
    `/api/mcp/entries/${String(newest?.['id'])}`,
  );
  expect(detail.lines.map(({ multiplier }) => multiplier)).toEqual([0.76, 0.76]);

  const headers = { authorization: `Bearer ${await service.createToken(['admin'])}` };
  const exported = await fetch(`${service.baseUrl}/api/manage/export?format=focus`, { headers });
  const [names = '', row = ''] = (await exported.text()).split('\n');
  const costs = Object.fromEntries(names.split(',').map((name, at) => [name, row.split(',')[at]]));
  expect(costs).toMatchObject({
    BilledCost: '0.00152',
    EffectiveCost: '0.00152',
    ContractedCost: '0.00152',
    ListCost: '0.002',
  });
  expect(await service.command(['contracts', 'list'])).toMatchObject([{ id, provider: 'anthropic' }]);
  await service.command(['contracts', 'remove', id]);
  await eventually(
    () => totalCost('effective'),
    (cost) => cost === 0.004,
  );
  expect((await call(key)).headers.get('x-svc-cost-usd')).toBe('0.002000000');
});

test('a custom price shows which calls it prices again, asks if one of them has a cost, and changes nothing before', async () => {
  await summaryOf(service, 3);
  const before = await totalCost('effective');
  const set = ['prices', 'set', 'anthropic', 'claude-haiku-4-5', '--input', '2', '--output', '10'];
  const preview = await service.command([...set, '--dry-run']);
  const calls = (await entriesOf()).length;
  const missingClasses = ['cacheRead', 'cacheWrite5m', 'cacheWrite1h'];
  expect(preview).toMatchObject({ calls, costBefore: before, costAfter: before * 2, isComplete: true, missingClasses });
  await expect(service.command(set)).rejects.toThrow('use --yes');
  expect([await service.command(['prices', 'list', '--own']), await totalCost('effective')]).toEqual([[], before]);
  const later = [...set, '--from', 'tomorrow'];
  expect(await service.command([...later, '--dry-run'])).toMatchObject({ calls: 0 });
  // From then on, usage of the cache would have an unknown cost.
  await expect(service.command(later)).rejects.toThrow('use --yes');
  await service.command([...set, '--yes']);
  await eventually(
    () => totalCost('effective'),
    (cost) => cost === before * 2,
  );
  expect(await service.command([...set, '--dry-run'])).toMatchObject({ calls: 0 });
});

test('a price for a model without one is set without a question', async () => {
  const { version } = await service.command<{ version: string }>([
    'prices',
    'set',
    'anthropic',
    'claude-unlisted',
    '--input',
    '1',
    '--output',
    '2',
  ]);
  expect(version).toContain('claude-unlisted');
});
