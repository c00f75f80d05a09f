import Anthropic from '@anthropic-ai/sdk';
import { ApiError, GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ProviderDouble, startProviderDouble } from '../doubles/provider-double.ts';
import { type Service, startService } from '../service.ts';

// Errors of the service's own reach a client as the classes that its library has for the provider's errors.

/** What a client did: the error's class name, status and text. */
interface Failure {
  readonly name: string;
  readonly status: number | undefined;
  readonly message: string;
}

/** One library: a call that works with a good key, one on a route that isn't served, and its classes by status. */
interface Library {
  readonly provider: 'anthropic' | 'google' | 'openai';
  call(apiKey: string, base: string, text: string): Promise<unknown>;
  unserved(apiKey: string, base: string): Promise<unknown>;
  readonly classes: Readonly<Record<number, abstract new (...args: never) => Error>>;
}

const LIBRARIES: readonly Library[] = [
  {
    provider: 'anthropic',
    call: (apiKey, baseURL, content) =>
      new Anthropic({ apiKey, baseURL, maxRetries: 0 }).messages.create({
        model: 'claude-haiku-4-5',
        max_tokens: 10,
        messages: [{ role: 'user', content }],
      }),
    unserved: (apiKey, baseURL) =>
      new Anthropic({ apiKey, baseURL, maxRetries: 0 }).beta.files.retrieveMetadata('file_1'),
    classes: {
      401: Anthropic.AuthenticationError,
      403: Anthropic.PermissionDeniedError,
      404: Anthropic.NotFoundError,
      413: Anthropic.APIError,
      502: Anthropic.InternalServerError,
    },
  },
  {
    provider: 'google',
    call: (apiKey, baseUrl, contents) =>
      new GoogleGenAI({ apiKey, httpOptions: { baseUrl } }).models.generateContent({
        model: 'gemini-2.5-flash',
        contents,
      }),
    unserved: (apiKey, baseUrl) => new GoogleGenAI({ apiKey, httpOptions: { baseUrl } }).caches.get({ name: 'abc' }),
    classes: { 401: ApiError, 403: ApiError, 404: ApiError, 413: ApiError, 502: ApiError },
  },
  {
    provider: 'openai',
    call: (apiKey, baseURL, content) =>
      new OpenAI({ apiKey, baseURL, maxRetries: 0 }).chat.completions.create({
        model: 'gpt-4o-mini',
        messages: [{ role: 'user', content }],
      }),
    unserved: (apiKey, baseURL) => new OpenAI({ apiKey, baseURL, maxRetries: 0 }).vectorStores.list(),
    classes: {
      401: OpenAI.AuthenticationError,
      403: OpenAI.PermissionDeniedError,
      404: OpenAI.NotFoundError,
      413: OpenAI.APIError,
      502: OpenAI.InternalServerError,
    },
  },
];

let double: ProviderDouble;
let service: Service;
/** Its providers' addresses lead nowhere. */
let cutOff: Service;
beforeAll(async () => {
  double = await startProviderDouble();
  service = await startService({ urls: double.urls });
  const nowhere = 'http://127.0.0.1:9';
  cutOff = await startService({ urls: { anthropic: nowhere, google: nowhere, openai: nowhere } });
});
afterAll(async () => {
  await service?.close();
  await cutOff?.close();
  await double?.close();
});

const UNKNOWN_KEY = `svc_sk_${'a'.repeat(40)}`;
const BODY_BYTES_MAX = 32 * 1_024 * 1_024;

describe.each(LIBRARIES)('$provider', ({ provider, call, unserved, classes }) => {
  async function fail(status: number, attempt: () => Promise<unknown>): Promise<Failure> {
    const seen = double.requests.length;
    const error = await attempt().then(
      () => expect.fail('The call went through.'),
      (caught: unknown) => caught,
    );
    expect(error).toBeInstanceOf(classes[status]);
    expect((error as Failure).status).toBe(status);
    expect(double.requests.length).toBe(seen);
    return error as Failure;
  }
  const base = (of: Service = service) => `${of.baseUrl}/api/proxy/${provider}`;

  test('an unknown key gets 401 with how to get one', async () => {
    const { message } = await fail(401, () => call(UNKNOWN_KEY, base(), 'Hello'));
    expect(message).toMatch(/key/i);
  });

  test('an access token gets 403, which says that a wrapped key is needed', async () => {
    const token = await service.createToken();
    const { message } = await fail(403, () => call(token, base(), 'Hello'));
    expect(message).toMatch(/wrapped key/i);
    expect(message).not.toContain(token);
  });

  test('a key of another provider gets 403', async () => {
    const key = await service.createKey(provider === 'openai' ? 'google' : 'openai');
    expect((await fail(403, () => call(key, base(), 'Hello'))).message).toMatch(/provider|openai|google/i);
  });

  test("a route whose cost can't be recorded gets 404", async () => {
    const key = await service.createKey(provider);
    expect((await fail(404, () => unserved(key, base()))).message.length).toBeGreaterThan(20);
  });

  test('a body over the limit gets 413', async () => {
    const key = await service.createKey(provider);
    const { message } = await fail(413, () => call(key, base(), 'x'.repeat(BODY_BYTES_MAX)));
    expect(message).toMatch(/32 MiB|33554432/);
  });

  test('an unreachable provider gives 502', async () => {
    const key = await cutOff.createKey(provider);
    expect((await fail(502, () => call(key, base(cutOff), 'Hello'))).message.length).toBeGreaterThan(20);
  });
});
