import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ApplyResult } from '../../src/contract/apply.ts';
import type { LimitShape, LimitsPage, LimitStanding } from '../../src/contract/limits.ts';
import type { WrappedKeyShape } from '../../src/contract/keys.ts';
import { type ProviderDouble, startProviderDouble } from '../doubles/provider-double.ts';
import { eventually, type Service, startService } from '../service.ts';

let double: ProviderDouble;
let service: Service;

beforeAll(async () => {
  double = await startProviderDouble();
  service = await startService({ urls: double.urls });
});
afterAll(async () => {
  await service.close();
  await double.close();
});

const BODY = { model: 'claude-haiku-4-5', max_tokens: 50, messages: [{ role: 'user', content: 'Hello' }] };

async function call(key: string, changes: object = {}): Promise<number> {
  const answer = await fetch(`${service.baseUrl}/api/proxy/anthropic/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ ...BODY, ...changes }),
  });
  await answer.arrayBuffer();
  return answer.status;
}

function set(amount: number, keyId: string): Promise<LimitShape> {
  const words = `limits set --unit calls --amount ${amount} --window total --key ${keyId}`;
  return service.command<LimitShape>(words.split(' '));
}

async function standing(id: string): Promise<LimitStanding | undefined> {
  const { limits } = await service.report<LimitsPage>('/api/manage/limits');
  return limits.find((one) => one.id === id);
}

async function keyIdOf(name: string): Promise<string> {
  const keys = await service.report<WrappedKeyShape[]>('/api/manage/keys');
  return keys.find((key) => key.name === name)?.id ?? '';
}

/** A command is done before the gate has heard of it, by a moment. */
const expectSoon = (key: string, status: number): Promise<number> =>
  eventually(
    () => call(key),
    (seen) => seen === status,
  );

test('a limit holds as soon as a command sets, lowers, raises, ends or removes it', async () => {
  const key = await service.createKey('anthropic', { name: 'limited' });
  expect(await call(key)).toBe(200);
  const keyId = await keyIdOf('limited');
  const { id } = await set(2, keyId);
  // The call before the limit is counted, too.
  const first = await eventually(
    () => standing(id),
    (seen) => seen?.counted === 1,
  );
  expect(first).toMatchObject({ amount: 2, counted: 1, held: 0, remaining: 1, uncertain: 0, resetsAt: null });
  expect(await call(key)).toBe(200);
  expect(await call(key)).toBe(402);
  expect(await standing(id)).toMatchObject({ counted: 2, remaining: 0 });
  await service.command(['limits', 'raise', id, '--amount', '3', '--for', '2h']);
  await expectSoon(key, 200);
  expect(await standing(id)).toMatchObject({ amount: 2, effectiveAmount: 3, counted: 3, remaining: 0 });
  await service.command(['limits', 'raise', id, '--end']);
  expect((await set(1, keyId)).id).toBe(id);
  await eventually(
    () => standing(id),
    (seen) => seen?.effectiveAmount === 1,
  );
  expect(await call(key)).toBe(402);
  await service.command(['limits', 'remove', id]);
  await expectSoon(key, 200);
});

test('a policy holds as soon as a command sets it, until it is cleared', async () => {
  const key = await service.createKey('anthropic', { name: 'ruled' });
  const keyId = await keyIdOf('ruled');
  await service.command(['policies', 'set', keyId, '--deny-model', 'claude-haiku-*']);
  await expectSoon(key, 403);
  await service.command(['policies', 'clear', keyId]);
  await expectSoon(key, 200);
});

test('a file is applied: its key works, under its policy and its limit', async () => {
  const path = join(service.dataDir, 'team.yaml');
  const source = await service.createKey('anthropic', { name: 'source' });
  await writeFile(
    path,
    `keys: { batch: { provider: anthropic, sameAs: source } }
policies: { batch: { deniedModels: [claude-opus-*] } }
limits: [{ key: batch, unit: calls, amount: 1, window: day }]
`,
  );
  const { created } = await service.command<ApplyResult>(['apply', path]);
  const key = created[0]?.key ?? '';
  expect(await call(key, { model: 'claude-opus-4-5' })).toBe(403);
  expect([await call(key), await call(key)]).toEqual([200, 402]);
  expect(await call(source)).toBe(200);
  const again = await service.command<ApplyResult>(['apply', path]);
  expect(again.changes.map(({ action }) => action)).toEqual(['leave', 'leave', 'leave']);
});

test('resolving an uncertain call returns the money to its limit', async () => {
  const key = await service.createKey('anthropic', { name: 'doubtful' });
  const keyId = await keyIdOf('doubtful');
  const words = `limits set --unit usd --amount 5 --window total --key ${keyId}`;
  const { id } = await service.command<LimitShape>(words.split(' '));
  double.plan({ reset: 'before_headers' });
  expect(await call(key)).toBe(502);
  const doubtful = await eventually(
    () => standing(id),
    (seen) => (seen?.uncertain ?? 0) > 0,
  );
  expect(doubtful?.counted).toBe(doubtful?.uncertain);
  const { entries } = await eventually(
    () => service.report<{ entries: { id: string }[] }>(`/api/mcp/entries?uncertain=true`),
    (page) => page.entries.length === 1,
  );
  await service.command(['limits', 'resolve', entries[0]?.id ?? '', '--cost', '0']);
  expect(
    await eventually(
      () => standing(id),
      (seen) => seen?.uncertain === 0,
    ),
  ).toMatchObject({ counted: 0, remaining: 5 });
});
