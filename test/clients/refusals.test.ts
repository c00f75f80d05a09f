import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Anthropic from '@anthropic-ai/sdk';
import { ApiError, GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { checkPolicy } from '../../src/domain/policy/check-policy.ts';
import type { TollbookError } from '../../src/domain/errors.ts';
import type { Limit, CounterStatus } from '../../src/domain/limits/limit.ts';
import { parsePolicy } from '../../src/domain/policy/parse-policy.ts';
import type { BlockReason } from '../../src/limits/admission-block.ts';
import { cannotCountError, refusalError, unboundedError, unpricedError } from '../../src/limits/refusal-errors.ts';
import { silentLog } from '../../src/lib/log.ts';
import { buildProviders } from '../../src/providers/providers.ts';
import { deny, toDenial } from '../../src/gateway/proxy/deny.ts';

// What the official client libraries make of refusals: which class they raise, what they show, whether they try again.

const NOW = Date.UTC(2026, 10, 20, 12);
const KEY = { id: 'key_1', name: 'batch' };

const LIMIT: Limit = {
  id: 'lim_1',
  counter: 1,
  workspaceId: 'ws_1',
  scope: { kind: 'workspace' },
  unit: 'usd',
  amount: 5_000_000_000,
  raise: null,
  window: 'day',
  action: 'block',
  thresholds: [],
  uncertain: 'keep',
  label: 'Team',
  countsObserved: false,
  zones: [{ zone: 'UTC', since: 0 }],
  countsPast: true,
};
const NEED = 1_200_000_000;

function standing(endsInMs: number): CounterStatus {
  return {
    limit: LIMIT,
    value: '',
    windowStart: 0,
    windowEnd: NOW + endsInMs,
    amount: LIMIT.amount,
    counted: 4_000_000_000,
    uncertain: 0,
    held: 0,
    left: 1_000_000_000,
  };
}

const HOUR = 3_600_000;
const TODAY = standing(HOUR);
function refused(reason: BlockReason, endsInMs: number): TollbookError {
  return refusalError(
    { reason, standing: standing(endsInMs), need: NEED, overrun: null, outputField: 'max_tokens' },
    NOW,
    KEY,
  );
}

function policyRefusal(policy: unknown): TollbookError {
  const models = [{ model: 'any', pricedModel: null }];
  const call = { keyName: 'batch', models, tags: {}, tagWarnings: [], address: null, at: NOW, bodyBytes: 1 };
  return checkPolicy(parsePolicy(policy), call) ?? expect.fail('The policy refuses nothing.');
}

/** A refusal and what the libraries make of it. */
interface Row {
  readonly name: string;
  readonly error: TollbookError;
  readonly anthropic: readonly [raised: unknown, type: string];
  readonly openai: readonly [raised: unknown, code: string | null];
  readonly google: string;
  /** Seconds that a client waits before it tries again; null = it doesn't. */
  readonly waits: number | null;
}

const PAYMENT = {
  anthropic: [Anthropic.PaymentRequiredError, 'billing_error'],
  openai: [OpenAI.APIError, 'insufficient_quota'],
  google: 'RESOURCE_EXHAUSTED',
  waits: null,
} as const;
const RATE = {
  anthropic: [Anthropic.RateLimitError, 'rate_limit_error'],
  openai: [OpenAI.RateLimitError, 'rate_limit_exceeded'],
  google: 'RESOURCE_EXHAUSTED',
} as const;

const ROWS: readonly Row[] = [
  { name: 'in_flight', error: refused('in_flight', HOUR), ...RATE, waits: 2 },
  {
    name: 'counter_unavailable',
    error: cannotCountError(
      { standing: TODAY, need: NEED, overrun: null, outputField: 'max_tokens' },
      'Anthropic',
      KEY,
      'late',
    ),
    ...RATE,
    waits: 5,
  },
  {
    name: 'exceeds_limit, not countable',
    error: cannotCountError(
      { standing: TODAY, need: NEED, overrun: null, outputField: 'max_tokens' },
      'Anthropic',
      KEY,
      'never',
    ),
    ...PAYMENT,
  },
  { name: 'rate, over soon', error: refused('rate_limited', 23_000), ...RATE, waits: 23 },
  { name: 'rate, for longer', error: refused('rate_limited', HOUR), ...RATE, waits: null },
  { name: 'exceeds_limit', error: refused('exceeds_limit', HOUR), ...PAYMENT },
  { name: 'spent', error: refused('spent', HOUR), ...PAYMENT },
  { name: 'spent, over soon', error: refused('spent', 23_000), ...PAYMENT },
  { name: 'unbounded', error: unboundedError('tools[].web_search without max_uses', TODAY, KEY), ...PAYMENT },
  { name: 'unpriced_model', error: unpricedError('new-model', 'anthropic', TODAY, KEY), ...PAYMENT },
  {
    name: 'policy',
    error: policyRefusal({ deniedModels: ['*'] }),
    anthropic: [Anthropic.PermissionDeniedError, 'permission_error'],
    openai: [OpenAI.PermissionDeniedError, 'permission_denied'],
    google: 'PERMISSION_DENIED',
    waits: null,
  },
  {
    name: 'required tags',
    error: policyRefusal({ requiredTags: { team: null } }),
    anthropic: [Anthropic.BadRequestError, 'invalid_request_error'],
    openai: [OpenAI.BadRequestError, null],
    google: 'INVALID_ARGUMENT',
    waits: null,
  },
];

/** Attempts of a library that tries again, the first included. */
const ATTEMPTS = 3;

let server: Server;
let baseUrl: string;
let current: TollbookError;
let attempts: number;
/** How often a library waited as long as it was told. */
let waits: number;

beforeAll(async () => {
  const providers = buildProviders({ urls: {}, custom: [] });
  server = createServer((req, res) => {
    attempts += 1;
    req.resume();
    const provider = providers.get((req.url ?? '').split('/')[1] ?? '') ?? null;
    deny(res, provider, toDenial(current, silentLog, 'call_1'), 'call_1');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

beforeEach(() => {
  attempts = 0;
  waits = 0;
});
afterEach(() => vi.unstubAllGlobals());

const realSetTimeout = globalThis.setTimeout;

/** The wait that a library is told passes at once, and is counted; all other timers run as they should. */
function hurry(seconds: number): void {
  vi.stubGlobal('setTimeout', (act: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) => {
    const found = ms === seconds * 1_000;
    if (found) waits += 1;
    return realSetTimeout(act, found ? 0 : ms, ...args);
  });
}

async function failureOf(row: Row, attempt: () => Promise<unknown>): Promise<unknown> {
  current = row.error;
  if (row.waits !== null) hurry(row.waits);
  return attempt().then(
    () => expect.fail('The call went through.'),
    (error: unknown) => error,
  );
}

function expectAttempts(row: Row): void {
  expect(attempts).toBe(row.waits === null ? 1 : ATTEMPTS);
  expect(waits).toBe(row.waits === null ? 0 : ATTEMPTS - 1);
}

/** Some libraries show the whole body as JSON. */
function expectShown(error: unknown, sentence: string): void {
  expect((error as Error).message.replaceAll(String.raw`\"`, '"')).toContain(sentence);
}

describe.each(ROWS)('$name', (row) => {
  test('Anthropic', async () => {
    const client = new Anthropic({ apiKey: 'svc_sk_any', baseURL: `${baseUrl}/anthropic` });
    const error = await failureOf(row, () =>
      client.messages.create({ model: 'any', max_tokens: 10, messages: [{ role: 'user', content: 'Hello' }] }),
    );
    expect((error as Error).constructor).toBe(row.anthropic[0]);
    expect(error).toMatchObject({
      status: row.error.status,
      error: { error: { type: row.anthropic[1], message: row.error.message } },
    });
    expectShown(error, row.error.message);
    expectAttempts(row);
    if (row.error.facts) expect(error).toMatchObject({ error: { error: { details: row.error.facts } } });
  });

  test('OpenAI', async () => {
    const client = new OpenAI({ apiKey: 'svc_sk_any', baseURL: `${baseUrl}/openai` });
    const error = await failureOf(row, () =>
      client.chat.completions.create({ model: 'any', messages: [{ role: 'user', content: 'Hello' }] }),
    );
    expect((error as Error).constructor).toBe(row.openai[0]);
    expect(error).toMatchObject({ status: row.error.status, code: row.openai[1], param: row.error.param ?? null });
    expectShown(error, row.error.message);
    expectAttempts(row);
    if (row.error.facts) expect(error).toMatchObject({ error: { details: row.error.facts } });
  });

  test('Google, which retries only if configured, and by the status alone', async () => {
    const ask = (httpOptions: object) =>
      new GoogleGenAI({
        apiKey: 'svc_sk_any',
        httpOptions: { baseUrl: `${baseUrl}/google`, ...httpOptions },
      }).models.generateContent({ model: 'any', contents: 'Hello' });
    const error = await failureOf(row, () => ask({}));
    expect(error).toBeInstanceOf(ApiError);
    expect((error as ApiError).status).toBe(row.error.status);
    expectShown(error, row.error.message);
    expect((error as Error).message).toContain(`"status":"${row.google}"`);
    if (row.error.facts) expect((error as Error).message).toContain(`"reason":"${row.error.type.toUpperCase()}"`);
    expect(attempts).toBe(1);

    attempts = 0;
    await failureOf(row, () => ask({ retryOptions: { attempts: ATTEMPTS, initialDelay: 0.001, jitter: 0 } }));
    expect(attempts).toBe(row.error.status === 429 ? ATTEMPTS : 1);
  });
});
