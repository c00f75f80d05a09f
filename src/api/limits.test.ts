import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NOW, openTestLedger, type TestLedger } from '../../test/test-ledger.ts';
import {
  type LimitShape,
  type LimitsPage,
  type LimitStanding,
  limit,
  limitSet,
  limitsPage,
  limitStanding,
} from '../contract/limits.ts';
import type { AuditPage } from '../contract/audit.ts';
import type { EntryDetail } from '../contract/entries.ts';
import { HOUR_MS } from '../domain/time/units.ts';

const LIMITS = '/api/manage/limits';

let it: TestLedger;
let keyId: string;

beforeAll(async () => {
  it = await openTestLedger();
  keyId = (await it.createKey('first')).id;
});
afterAll(() => it.close());

const USD_A_DAY = { unit: 'usd', amount: 5, window: 'day' };

async function send(method: string, path: string, body?: unknown): Promise<LimitShape> {
  const answer = await it.json<LimitShape>(path, { method, ...(body !== undefined && { body }) });
  expect((method === 'PUT' ? limitSet : limit).parse(answer)).toEqual(answer);
  return answer;
}

async function refusal(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
  const answer = await it.ask(path, { method, ...(body !== undefined && { body }) });
  const { error, type, param } = (await answer.json()) as Record<string, unknown>;
  expect(error).toMatch(/^\S.{10,}\.$/s);
  return { status: answer.status, type, param, error };
}

describe('a limit', () => {
  test('is created from few fields, shown in dollars, and sent to the gateway', async () => {
    const made = await send('POST', LIMITS, USD_A_DAY);
    expect(made).toEqual({
      id: expect.stringMatching(/^lim_/),
      scope: { kind: 'workspace' },
      unit: 'usd',
      amount: 5,
      raise: null,
      window: 'day',
      action: 'block',
      thresholds: [50, 80, 95],
      uncertainRule: 'keep',
      label: null,
      countsObserved: false,
      etag: expect.any(String),
    });
    expect(it.sentToGateway.at(-1)).toMatchObject({
      type: 'limit-changed',
      limit: { id: made.id, amount: 5_000_000_000 },
    });
  });

  test('counts observed calls only if it warns, by hour or longer, without a key', async () => {
    const scope = { kind: 'provider', provider: 'anthropic' };
    const counting = { ...USD_A_DAY, scope, action: 'warn', countsObserved: true };
    const refused = async (change: Record<string, unknown>, reason: RegExp): Promise<void> =>
      expect(await refusal('POST', LIMITS, { ...counting, ...change })).toMatchObject({
        status: 400,
        param: 'countsObserved',
        error: expect.stringMatching(reason),
      });
    await refused({ action: 'block' }, /^A limit that blocks counts only calls of the gateway: .*Set action to "warn"/);
    await refused({ window: 'minute' }, /reported after their end/);
    await refused({ unit: 'concurrency', window: 'total' }, /reported after their end/);
    await refused({ scope: { kind: 'key', keyId } }, /have no wrapped key/);
    await refused({ scope: { kind: 'each', of: 'session', keyId: null } }, /have no wrapped key/);
    const made = await send('POST', LIMITS, counting);
    expect(made).toMatchObject({ action: 'warn', countsObserved: true });
    expect(await refusal('PATCH', `${LIMITS}/${made.id}`, { action: 'block' })).toMatchObject({ status: 400 });
    expect(await send('PUT', LIMITS, { ...USD_A_DAY, scope, action: 'warn' })).toMatchObject({ countsObserved: true });
    expect(await send('PATCH', `${LIMITS}/${made.id}`, { action: 'block', countsObserved: false })).toMatchObject({
      countsObserved: false,
    });
  });

  test('of the same kind is a conflict, which names the existing one', async () => {
    const made = await send('POST', LIMITS, { ...USD_A_DAY, window: 'hour' });
    expect(await refusal('POST', LIMITS, { ...USD_A_DAY, window: 'hour', amount: 6 })).toMatchObject({
      status: 409,
      error: expect.stringContaining(made.id),
    });
  });

  test('that is set again changes its amount and keeps fields that are not sent', async () => {
    const said = { ...USD_A_DAY, window: 'week', scope: { kind: 'key', keyId } };
    const made = await send('PUT', LIMITS, {
      ...said,
      label: 'first',
      thresholds: [90],
      uncertainRule: 'release-after 2h',
    });
    const set = await send('PUT', LIMITS, { ...said, amount: '7.25' });
    expect(set).toEqual({ ...made, amount: 7.25, etag: expect.any(String) });
    expect(await send('PUT', LIMITS, { ...said, label: null })).toMatchObject({ id: made.id, amount: 5, label: null });
    expect((await send('PUT', LIMITS, { ...said, action: 'warn' })).id).not.toBe(made.id);
  });

  test('is changed in the fields that are sent, in its own unit', async () => {
    const { id } = await send('POST', LIMITS, { unit: 'tokens', amount: 1_000, window: 'hour' });
    expect(await send('PATCH', `${LIMITS}/${id}`, { amount: 2_000, label: 'Tokens' })).toMatchObject({
      amount: 2_000,
      unit: 'tokens',
      window: 'hour',
      label: 'Tokens',
    });
    expect(await send('PATCH', `${LIMITS}/${id}`, { unit: 'usd', amount: 1.5, window: 'month' })).toMatchObject({
      amount: 1.5,
      unit: 'usd',
      window: 'month',
    });
    expect(await refusal('PATCH', `${LIMITS}/${id}`, { unit: 'calls' })).toMatchObject({
      param: 'amount',
      status: 400,
    });
  });

  test('is raised until a time or for a duration, and the raise can be ended', async () => {
    const { id } = await send('POST', LIMITS, { unit: 'calls', amount: 10, window: 'minute' });
    const path = `${LIMITS}/${id}/raise`;
    expect((await send('POST', path, { amount: 20, for: '2h' })).raise).toEqual({
      amount: 20,
      until: new Date(NOW + 2 * HOUR_MS).toISOString(),
    });
    expect((await send('POST', path, { amount: 30, until: '2026-03-16' })).raise?.until).toBe(
      '2026-03-17T00:00:00.000Z',
    );
    expect(it.sentToGateway.at(-1)).toMatchObject({ type: 'limit-changed', limit: { raise: { amount: 30 } } });
    expect((await send('DELETE', path)).raise).toBeNull();
    for (const [body, param] of [
      [{ amount: 10, for: '2h' }, 'amount'],
      [{ amount: 20 }, 'until'],
      [{ amount: 20, for: '2h', until: '2026-03-16' }, 'until'],
      [{ amount: 20, for: 'long' }, 'for'],
      [{ amount: 20, until: '2026-03-01' }, 'until'],
      [{ amount: 'much', for: '2h' }, 'amount'],
    ] as const)
      expect(await refusal('POST', path, body)).toMatchObject({ status: 400, param });
  });

  test('is deleted', async () => {
    const { id } = await send('POST', LIMITS, { unit: 'output_tokens', amount: 10, window: 'total' });
    expect((await send('DELETE', `${LIMITS}/${id}`)).id).toBe(id);
    expect(it.sentToGateway.at(-1)).toEqual({ type: 'limit-removed', id });
    expect(await refusal('GET', `${LIMITS}/${id}`)).toMatchObject({ status: 404 });
    expect(await refusal('DELETE', `${LIMITS}/${id}`)).toMatchObject({ status: 404 });
  });

  test('on concurrent calls needs no window', async () => {
    expect(await send('POST', LIMITS, { unit: 'concurrency', amount: 3 })).toMatchObject({ window: 'total' });
  });

  test.each([
    [{}, 'unit'],
    [{ ...USD_A_DAY, unit: 'euro' }, 'unit'],
    [{ ...USD_A_DAY, amount: -1 }, 'amount'],
    [{ ...USD_A_DAY, amount: 'five' }, 'amount'],
    [{ ...USD_A_DAY, amount: 9_000_001 }, 'amount'],
    [{ ...USD_A_DAY, amount: null }, 'amount'],
    [{ ...USD_A_DAY, unit: 'calls', amount: 1.5 }, 'amount'],
    [{ unit: 'usd', amount: 5 }, 'window'],
    [{ ...USD_A_DAY, window: 'year' }, 'window'],
    [{ ...USD_A_DAY, unit: 'concurrency' }, 'window'],
    [{ ...USD_A_DAY, thresholds: [0] }, 'thresholds'],
    [{ ...USD_A_DAY, uncertainRule: 'forget' }, 'uncertainRule'],
    [{ ...USD_A_DAY, label: '' }, 'label'],
    [{ ...USD_A_DAY, scope: { kind: 'provider', provider: 'nobody' } }, 'scope'],
    [{ ...USD_A_DAY, scope: { kind: 'tag', key: 'no spaces', value: 'x' } }, 'scope'],
    [{ ...USD_A_DAY, scope: { kind: 'model', pattern: '' } }, 'scope'],
    [{ ...USD_A_DAY, scope: { kind: 'team' } }, 'scope.kind'],
    [{ ...USD_A_DAY, limit: 5 }, undefined],
  ])('is refused when it is %j, naming the field', async (body, param) => {
    expect(await refusal('POST', LIMITS, body)).toMatchObject({ status: 400, param });
  });

  test('on an unknown or revoked key is refused', async () => {
    const scope = { kind: 'key', keyId: 'key_none' };
    expect(await refusal('POST', LIMITS, { ...USD_A_DAY, scope })).toMatchObject({ status: 404 });
    const { id } = await it.createKey('gone');
    await it.json(`/api/manage/keys/${id}`, { method: 'DELETE' });
    expect(await refusal('POST', LIMITS, { ...USD_A_DAY, scope: { kind: 'key', keyId: id } })).toMatchObject({
      status: 422,
    });
  });
});

describe('the list of limits', () => {
  test('has every limit once, oldest first, over any number of pages', async () => {
    const whole = await it.json<LimitsPage>(LIMITS);
    expect(limitsPage.parse(whole)).toEqual(whole);
    const ids: string[] = [];
    for (let query = '?limit=2'; query !== '';) {
      const page = await it.json<LimitsPage>(`${LIMITS}${query}`);
      ids.push(...page.limits.map(({ id }) => id));
      query = page.nextCursor === null ? '' : `?limit=2&cursor=${page.nextCursor}`;
    }
    expect(ids).toEqual(whole.limits.map(({ id }) => id));
    expect(whole.nextCursor).toBeNull();
  });

  test('shows the current figures of each, the same as for one', async () => {
    const { limits } = await it.json<LimitsPage>(LIMITS);
    const first = limits.find(({ window, unit }) => window === 'day' && unit === 'usd');
    const one = await it.json<LimitStanding>(`${LIMITS}/${first?.id}`);
    expect(limitStanding.parse(one)).toEqual(one);
    expect(one).toEqual(first);
    expect(one).toMatchObject({
      counted: 0,
      held: 0,
      remaining: 5,
      uncertain: 0,
      resetsAt: '2026-03-16T00:00:00.000Z',
    });
  });

  test('shows the counters of the gateway', async () => {
    const limits = await it.ledger.records.limits.list('ws_default');
    const running = limits.find(({ unit }) => unit === 'concurrency')!;
    const window = { windowStart: 0, windowEnd: null };
    it.standings.push({ limit: running, value: '', ...window, amount: 3, counted: 0, uncertain: 0, held: 2, left: 1 });
    expect(await it.json(`${LIMITS}/${running.id}`)).toMatchObject({
      amount: 3,
      held: 2,
      remaining: 1,
      resetsAt: null,
    });
    it.standings.length = 0;
  });

  test('is read with usage:read and changed with admin, within one workspace', async () => {
    const { id } = await it.json<{ id: string }>('/api/manage/workspaces', { method: 'POST', body: { name: 'Other' } });
    const stranger = await it.createToken(['admin'], id);
    expect(await it.json(LIMITS, { token: stranger })).toEqual({ limits: [], nextCursor: null });
    const { limits } = await it.json<LimitsPage>(LIMITS);
    expect((await it.ask(`${LIMITS}/${limits[0]?.id}`, { token: stranger })).status).toBe(404);
    const reader = await it.createToken(['usage:read']);
    expect(await it.json(LIMITS, { token: reader })).toEqual({ limits, nextCursor: null });
    expect(await it.json(`${LIMITS}/${limits[0]?.id}`, { token: reader })).toMatchObject({ id: limits[0]?.id });
    const change = { method: 'PATCH', body: { amount: 1 }, token: reader };
    expect((await it.ask(`${LIMITS}/${limits[0]?.id}`, change)).status).toBe(403);
    expect((await it.ask(LIMITS, { token: await it.createToken(['alerts:read']) })).status).toBe(403);
  });

  test('shows at most a hundred values', async () => {
    expect(await refusal('GET', `${LIMITS}?values=101`)).toMatchObject({ status: 400, param: 'values' });
    expect((await it.ask(`${LIMITS}?values=100`)).status).toBe(200);
  });
});

describe('a policy', () => {
  const path = (id = keyId): string => `/api/manage/policies/${id}`;

  test('of a new key allows what the provider allows', async () => {
    expect(await it.json(path())).toMatchObject({
      keyId,
      keyName: 'first',
      policy: { allowedModels: null, deniedModels: [] },
    });
    expect(await it.json('/api/manage/policies')).toEqual([]);
  });

  test('is replaced as a whole, sent to the gateway, listed, and cleared', async () => {
    const rules = {
      allowedModels: ['claude-haiku-*'],
      maxOutputTokens: 4_096,
      requiredTags: { team: ['search', 'ads'], user: null },
      requiredNames: ['session'],
      maxSessionsPerHour: 50,
      allowedAddresses: ['10.0.0.0/8'],
      activeHours: { days: ['mon', 'fri'], from: '09:00', until: '18:00', timeZone: 'Europe/Berlin' },
      whenOverLimit: 'refuse',
      minOutputTokens: 4_096,
      assumedCostUsd: 0.25,
    };
    const set = await it.json<{ policy: object }>(path(), { method: 'PUT', body: rules });
    expect(set.policy).toEqual({
      ...rules,
      deniedModels: [],
      unpricedModels: 'refuse',
      onDisconnect: 'drain',
      geo: null,
      tier: null,
      maxBodyBytes: null,
    });
    expect(it.sentToGateway.at(-1)).toMatchObject({
      type: 'key-changed',
      key: { id: keyId, policy: { assumedCostUsd: 250_000_000 } },
    });
    expect(await it.json('/api/manage/policies')).toEqual([set]);
    expect(await it.json(path())).toEqual(set);
    // An answer can be sent back unchanged.
    expect(await it.json(path(), { method: 'PUT', body: set.policy })).toEqual(set);
    expect(await it.json(path(), { method: 'PUT', body: { geo: 'us' } })).toMatchObject({
      policy: { geo: 'us', allowedModels: null, assumedCostUsd: null },
    });
    await it.json(path(), { method: 'DELETE' });
    expect(it.sentToGateway.at(-1)).toMatchObject({ type: 'key-changed', key: { policy: { geo: null } } });
    expect(await it.json('/api/manage/policies')).toEqual([]);
  });

  test.each([
    [{ allowModel: ['x'] }, 'allowModel'],
    [{ allowedModels: [] }, 'allowedModels'],
    [{ maxOutputTokens: 0 }, 'maxOutputTokens'],
    [{ allowedAddresses: ['home'] }, 'allowedAddresses'],
    [{ activeHours: { from: '9' } }, 'activeHours.from'],
    [{ whenOverLimit: 'shrink' }, 'whenOverLimit'],
    [[], 'policy'],
  ])('is refused when it is %j, naming the field', async (body, param) => {
    expect(await refusal('PUT', path(), body)).toMatchObject({ status: 400, param });
  });

  test('on an unknown key is not found', async () => {
    expect(await refusal('GET', path('key_none'))).toMatchObject({ status: 404 });
    expect(await refusal('PUT', path('key_none'), {})).toMatchObject({ status: 404 });
  });
});

describe('an uncertain call', () => {
  const broken = {
    outcome: 'broken',
    uncertainReason: 'reset',
    cost: null,
    usage: null,
    usageSource: 'none',
    counted: { usd: 70_000_000, inputTokens: 900, outputTokens: 100 },
  } as const;
  const path = (callId: string): string => `/api/manage/entries/${callId}/resolve`;

  test('gets the cost that a person enters, and is certain', async () => {
    const call = it.entry(broken);
    await it.ship([call]);
    const resolved = await it.json(path(call.callId), { method: 'POST', body: { costUsd: '0.02' } });
    expect(resolved).toMatchObject({
      id: call.callId,
      cost: 0.02,
      uncertainReason: null,
      inputTokens: 900,
      outputTokens: 100,
    });
    expect(resolved).not.toHaveProperty('uncertainUpTo');
    const { requestId: _, ...shown } = await it.json<EntryDetail>(`/api/mcp/entries/${call.callId}`);
    expect(shown).toMatchObject({
      cost: 0.02,
      lines: [],
      adjustments: [{ costBefore: null, costAfter: 0.02, reason: 'resolved by owner' }],
    });
    const summary = await it.json('/api/mcp/usage/summary');
    expect(summary).toMatchObject({ totalCost: 0.02 });
    expect(summary).not.toHaveProperty('uncertainCalls');
  });

  test('is in the audit chain with the person and the cost, and a refused correction is not', async () => {
    const call = it.entry(broken);
    await it.ship([call]);
    const resolve = (body: object) => it.ask(path(call.callId), { method: 'POST', body });
    expect((await resolve({ costUsd: 9_000_001 })).status).toBe(400);
    const both = await Promise.all([resolve({ costUsd: 0.03 }), resolve({ costUsd: 0.04 })]);
    // The first one wins; the other gets the error.
    expect(both.map(({ ok }) => ok).toSorted((a, b) => Number(a) - Number(b))).toEqual([false, true]);
    const { rows } = await it.json<AuditPage>('/api/manage/audit');
    const found = rows.filter(({ subject }) => subject === call.callId);
    expect(found).toMatchObject([
      {
        action: 'entry.resolve',
        actor: 'owner',
        before: { cost: null },
        after: { cost: both[0]?.ok ? 30_000_000 : 40_000_000, inputTokens: 900, outputTokens: 100 },
      },
    ]);
    expect(await it.ledger.records.audit.verify()).toMatchObject({ ok: true });
  });

  test('resolved at no cost has no tokens, unless they are sent', async () => {
    const [free, found] = [it.entry(broken), it.entry(broken)];
    await it.ship([free, found]);
    expect(await it.json(path(free.callId), { method: 'POST', body: { costUsd: 0 } })).toMatchObject({
      cost: 0,
      inputTokens: 0,
      outputTokens: 0,
    });
    const body = { costUsd: 0, inputTokens: 5, outputTokens: 6 };
    expect(await it.json(path(found.callId), { method: 'POST', body })).toMatchObject({
      inputTokens: 5,
      outputTokens: 6,
    });
  });

  test('is resolved once, if it exists and is uncertain, and above its bound only if that is confirmed', async () => {
    const call = it.entry(broken);
    const sure = it.entry();
    await it.ship([call, sure]);
    const token = await it.createToken(['usage:read']);
    expect((await it.ask(path(call.callId), { method: 'POST', body: { costUsd: 1 }, token })).status).toBe(403);
    expect(await refusal('POST', path(call.callId), { costUsd: 'nothing' })).toMatchObject({
      param: 'costUsd',
      status: 400,
    });
    expect(await refusal('POST', path(call.callId), {})).toMatchObject({ param: 'costUsd', status: 400 });
    expect(await refusal('POST', path(call.callId), { costUsd: 1 })).toMatchObject({ param: 'costUsd', status: 422 });
    await it.json(path(call.callId), { method: 'POST', body: { costUsd: 1, beyondBound: true } });
    expect(await refusal('POST', path(call.callId), { costUsd: 1 })).toMatchObject({ status: 422 });
    expect(await refusal('POST', path(sure.callId), { costUsd: 1 })).toMatchObject({ status: 422 });
    expect(await refusal('POST', path('call_none'), { costUsd: 1 })).toMatchObject({ status: 404 });
  });
});
