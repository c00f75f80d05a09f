import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ProviderDouble, startProviderDouble } from '../doubles/provider-double.ts';
import { eventually, type Service, startService } from '../service.ts';
import { exportBook, type BookedCall } from './booked-call.ts';

// The service is killed while calls are under way, again and again, on one folder. What the provider has seen is the truth.

const ROUNDS = 8;
const CLIENTS = 12;
/** Calls that the provider has answered in a round before the service is killed. */
const ANSWERED_PER_ROUND = 60;
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

/** Sessions whose answer the client has read to its end. */
const delivered = new Set<string>();

test('after every kill -9 under load each call that the provider saw is in the book exactly once', async () => {
  let service = await startService({ urls: double.urls, dataDir });
  key = await service.createKey('anthropic');
  const known = double.requests.length;
  for (let round = 0; round < ROUNDS; round++) {
    await killUnderLoad(service);
    service = await startService({ urls: double.urls, dataDir });
  }
  const seen = double.requests
    .slice(known)
    .map(({ headers, id }) => ({ session: String(headers['x-claude-code-session-id']), id }));
  expect(seen.length).toBeGreaterThan(ROUNDS * ANSWERED_PER_ROUND);
  const book = await wholeBook(service);
  const bySession = Map.groupBy(book, ({ sessionHash }) => sessionHash);
  expect(seen.filter(({ session }) => bySession.get(hashOf(session))?.length !== 1)).toEqual([]);
  expect(new Set(book.map(({ id }) => id)).size).toBe(book.length);

  const lost = book.filter(({ outcome }) => outcome === 'lost');
  const uncertain = book.filter(({ doubt }) => doubt !== null);
  for (const entry of book.filter(({ doubt, outcome }) => doubt === null && outcome === 'completed'))
    expect(entry.cost).toBe(COST);
  for (const { id, session } of seen) {
    const [entry] = bySession.get(hashOf(session)) ?? [];
    if (entry?.responseId) expect(entry.responseId).toBe(`msg_${id}`);
    // What a client has in full is priced exactly, though its process died right after.
    if (delivered.has(session))
      expect(entry).toMatchObject({ outcome: 'completed', usageSource: 'reported', cost: COST });
  }
  // The book may hold calls that never left; it says so.
  const { uncertainCalls = 0 } = await service.report<{ uncertainCalls?: number }>('/api/mcp/usage/summary');
  expect(uncertainCalls).toBe(uncertain.length);
  expect(book.filter(({ outcome }) => outcome !== 'not_sent').length - seen.length).toBeLessThanOrEqual(uncertainCalls);
  expect(lost.length).toBeGreaterThan(0);
  await service.close();
});

test('a service that is told to end lets streams finish, refuses new ones, and books them as completed', async () => {
  const service = await startService({ urls: double.urls, dataDir });
  const before = (await wholeBook(service)).length;
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
  const book = await wholeBook(next);
  const ended = book.filter(({ sessionHash }) => sessions.some((session) => hashOf(session) === sessionHash));
  expect(ended).toHaveLength(sessions.length);
  for (const entry of ended) expect(entry).toMatchObject({ outcome: 'completed', doubt: null, cost: COST });
  expect(book.length).toBeGreaterThanOrEqual(before + sessions.length);
  await next.close();
});

/** Clients call as fast as they can until the service is dead. */
async function killUnderLoad(service: Service): Promise<void> {
  const until = double.requests.length + ANSWERED_PER_ROUND;
  const killed: Promise<void>[] = [];
  async function callOn(stream: boolean): Promise<void> {
    for (;;) {
      const session = randomUUID();
      try {
        const answer = await send(service, session, { splitBytes: 200 }, stream);
        if (answer.ok && (await answer.text()).includes(stream ? 'message_stop' : '"usage"')) delivered.add(session);
      } catch {
        // The service is gone.
        return;
      }
      if (double.requests.length >= until) killed[0] ??= service.kill();
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, (_, at) => callOn(at % 2 === 0)));
  await Promise.all(killed);
}

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

function hashOf(session: string): string {
  return createHash('sha256').update(`claude_code:${session}`).digest('hex');
}

/** Once all that has ended is in it. */
async function wholeBook(service: Service): Promise<BookedCall[]> {
  const lag = async () => /^tollbook_journal_lag 0$/m.test(await (await fetch(`${service.baseUrl}/metrics`)).text());
  await eventually(lag, (none) => none);
  return exportBook(service);
}
