import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compare } from '../comparison/compare.ts';
import { hashOf } from '../comparison/verdict.ts';
import { type ProviderDouble, startProviderDouble } from '../doubles/provider-double.ts';
import { seedOfRun } from '../seeded.ts';
import { eventually, type Service, startService } from '../service.ts';
import { exportCalls, type ExportedCall } from './recorded-call.ts';

// The service is ended while calls are under way. What the provider has seen is the truth. `npm run compare` kills it more often.

const CALLS = 400;
const KILLS = 3;
/** $1 and $5 for a million tokens: 10 in, 20 out. */
const COST = 0.000_11;

let double: ProviderDouble;
let dataDir: string;
let key: string;
beforeAll(async () => {
  double = await startProviderDouble();
  dataDir = await mkdtemp(join(tmpdir(), 'tollbook-crash-'));
});
afterAll(async () => {
  await double?.close();
  await rm(dataDir, { recursive: true, force: true });
});

test('after every kill -9 under load, each call that the provider saw is in the ledger exactly once', async () => {
  const seed = seedOfRun();
  const { findings, seen, doubts, unseen, uncertain } = await compare({ calls: CALLS, seed, kills: KILLS });
  expect(findings, `seed ${seed}`).toEqual([]);
  expect(seen).toBeGreaterThan(CALLS / 2);
  expect(doubts['crash']).toBeGreaterThan(0);
  // The book may hold calls that never left; it says so.
  expect(unseen).toBeLessThanOrEqual(uncertain);
});

test('a stopping service lets streams finish, refuses new ones, and records them as completed', async () => {
  const service = await startService({ urls: double.urls, dataDir });
  key = await service.createKey('anthropic');
  const before = (await wholeLedger(service)).length;
  const sessions = Array.from({ length: 5 }, () => randomUUID());
  const answers = sessions.map((session) => send(service, session, { hold: 'writes' }, true));
  const held = await Promise.all(sessions.map(() => double.held()));
  for (const one of held) one.next();
  const responses = await Promise.all(answers);
  const closed = service.close();
  await eventually(
    () =>
      send(service, randomUUID(), {}, false).then(
        () => 'served',
        () => 'refused',
      ),
    (state) => state === 'refused',
  );
  for (const one of held) one.release();
  for (const response of responses) expect(await response.text()).toContain('message_stop');
  await closed;

  const next = await startService({ urls: double.urls, dataDir });
  const ledger = await wholeLedger(next);
  const ended = ledger.filter(({ sessionHash }) => sessions.some((session) => hashOf(session) === sessionHash));
  expect(ended).toHaveLength(sessions.length);
  for (const entry of ended) expect(entry).toMatchObject({ outcome: 'completed', uncertainReason: null, cost: COST });
  expect(ledger.length).toBeGreaterThanOrEqual(before + sessions.length);
  await next.close();
});

function send(service: Service, session: string, plan: object, stream: boolean): Promise<Response> {
  return fetch(`${service.baseUrl}/api/proxy/anthropic/v1/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'x-claude-code-session-id': session, 'x-double': JSON.stringify(plan) },
    body: JSON.stringify({
      model: 'claude-haiku-4-5',
      max_tokens: 64,
      stream,
      messages: [{ role: 'user', content: 'Hello' }],
    }),
  });
}

/** Once all that has ended is in it. */
async function wholeLedger(service: Service): Promise<ExportedCall[]> {
  const lag = async () => /^tollbook_journal_lag 0$/m.test(await (await fetch(`${service.baseUrl}/metrics`)).text());
  await eventually(lag, (none) => none);
  return exportCalls(service);
}
