import { describe, expect, test } from 'vitest';
import type { SessionRecord } from '../../domain/sessions/session-record.ts';
import { splitIntoBatches } from './batches.ts';
import { uploadRecords } from './upload.ts';

function record(session: number, changes: Partial<SessionRecord> = {}): SessionRecord {
  return {
    sessionId: String(session).padStart(64, '0'),
    projectId: 'b'.repeat(64),
    model: 'claude-opus-5',
    inputTokens: 1,
    outputTokens: 1,
    cacheReadTokens: 0,
    cacheCreationTokens: 0,
    timestamp: '2026-03-15T12:00:00.000Z',
    ...changes,
  };
}

function records(count: number, hours = 1): SessionRecord[] {
  return Array.from({ length: count }, (_, index) => record(Math.floor(index / hours)));
}

const GOOD = { records: 1, sessions: 1, replaced: 2, cost: 0.1 };

/** Answers in turn; the last one for good. */
function service(...answers: (Response | Error)[]) {
  const asked: { url: string; init: RequestInit }[] = [];
  const waited: number[] = [];
  const to = {
    apiUrl: 'http://tollbook.test',
    apiKey: 'svc_sk_key',
    fetch: async (url: string | URL | Request, init: RequestInit = {}) => {
      asked.push({ url: url instanceof Request ? url.url : url.toString(), init });
      const answer = answers[Math.min(asked.length, answers.length) - 1];
      if (answer instanceof Error) throw answer;
      return answer?.clone() ?? Response.json(GOOD);
    },
    wait: async (ms: number) => void waited.push(ms),
  };
  return { to, asked, waited };
}

describe('batches', () => {
  test('have at most 1,000 records and never split a session and model', () => {
    const batches = splitIntoBatches(records(2_500, 7));
    expect(batches.map(({ length }) => length)).toEqual([994, 994, 512]);
    const last = batches.map((batch) => batch.at(-1)?.sessionId);
    expect(batches.slice(1).map((batch) => batch[0]?.sessionId)).not.toEqual(last.slice(0, 2));
    expect(batches.flat()).toHaveLength(2_500);
  });

  test('have fewer bytes than the limit of the service', () => {
    const share = {
      speed: 'fast',
      inputTokens: 1,
      outputTokens: 0,
      cacheReadTokens: 0,
      cacheCreationTokens: 0,
    } as const;
    const shares = Array.from({ length: 50 }, () => share);
    const batches = splitIntoBatches(records(900).map((one) => Object.assign({}, one, { shares })));
    expect(batches.length).toBeGreaterThan(1);
    for (const batch of batches) expect(JSON.stringify({ sessions: batch }).length).toBeLessThan(1_000_000);
  });

  test('are none for no records', async () => {
    const { to, asked } = service();
    expect(await uploadRecords('codex', [], to)).toEqual({
      records: 0,
      sessions: 0,
      replaced: 0,
      cost: 0,
      unpricedCalls: 0,
    });
    expect(asked).toEqual([]);
  });
});

describe('an upload', () => {
  test('is sent to the path of its source with the access token, and reports progress', async () => {
    const { to, asked } = service();
    const done: number[] = [];
    const result = await uploadRecords('claude_code', records(1_500), {
      ...to,
      onProgress: (one) => done.push(one.records),
    });
    expect(result).toEqual({ records: 1_500, sessions: 1_500, replaced: 4, cost: 0.2, unpricedCalls: 0 });
    expect(asked.map(({ url }) => url)).toEqual(Array(2).fill('http://tollbook.test/api/mcp/sync/claude-code'));
    expect(asked[0]?.init).toMatchObject({ method: 'POST', headers: { authorization: 'Bearer svc_sk_key' } });
    expect(done).toEqual([0, 1_000, 1_500]);
  });

  test('reports usage without a price that is not a call', async () => {
    const { to } = service(Response.json({ ...GOOD, unpricedUsage: true }), Response.json(GOOD));
    expect(await uploadRecords('codex', records(1_500), to)).toMatchObject({ unpricedCalls: 0, unpricedUsage: true });
  });

  test('is retried when a service is busy, after the time it asks for', async () => {
    const busy = Response.json(
      { error: 'busy', type: 'rate_limited' },
      { status: 429, headers: { 'retry-after': '7' } },
    );
    const { to, asked, waited } = service(busy, new Response('', { status: 503 }), Response.json(GOOD));
    expect(await uploadRecords('codex', records(1), to)).toMatchObject({ records: 1 });
    expect([asked.length, waited]).toEqual([3, [7_000, 1_000]]);
  });

  test('ends after some attempts and says what is left', async () => {
    const { to, asked, waited } = service(Response.json(GOOD), new Response('', { status: 500 }));
    const sentence =
      /not a Tollbook service \(status 500\).*1000 of 1500 records are uploaded. Run the command again to upload the other 500/;
    await expect(uploadRecords('codex', records(1_500), to)).rejects.toThrow(sentence);
    expect([asked.length, waited]).toEqual([6, [500, 1_000, 2_000, 4_000]]);
  });

  test('is not retried if that would not help', async () => {
    const refusal = {
      error: 'sessions.3 has fields Tollbook does not know.',
      type: 'unprocessable',
      param: 'sessions.3',
    };
    const refused = service(Response.json(refusal, { status: 422 }));
    await expect(uploadRecords('codex', records(1), refused.to)).rejects.toMatchObject({
      type: 'unprocessable',
      param: 'sessions.3',
    });
    const late = service(new Response('{"error":"Later."}', { status: 429, headers: { 'retry-after': '3600' } }));
    await expect(uploadRecords('codex', records(1), late.to)).rejects.toThrow('Later.');
    const unknown = service(Response.json({ error: 'Unknown token.', type: 'unknown_secret' }, { status: 401 }));
    await expect(uploadRecords('codex', records(1), unknown.to)).rejects.toThrow('expired or revoked.');
    expect([refused, late, unknown].map(({ asked }) => asked.length)).toEqual([1, 1, 1]);
  });

  test('names the URL if there is no response or no Tollbook service', async () => {
    const nobody = service(
      Object.assign(new TypeError('fetch failed'), { cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }) }),
    );
    await expect(uploadRecords('codex', records(1), nobody.to)).rejects.toThrow(
      /tollbook\.test \(ECONNREFUSED\).*SVC_API_URL/,
    );
    expect(nobody.asked).toHaveLength(2);
    const other = service(new Response('<html>'));
    await expect(uploadRecords('codex', records(1), other.to)).rejects.toThrow('is not a Tollbook service');
  });

  test('can be aborted', async () => {
    const { to, asked } = service();
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(uploadRecords('codex', records(1), { ...to, signal })).rejects.toThrow('enough');
    expect(asked).toEqual([]);
  });
});
