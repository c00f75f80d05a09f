import { describe, expect, test } from 'vitest';
import { KEY_HEADERS } from '../../lib/http/key-headers.ts';
import { ERROR_STATUS, TollbookError } from '../../domain/errors.ts';
import type { InferenceRoute, Provider } from '../provider.ts';
import { answerHead, read } from './replay.ts';
import { type ContractCall, requestContract } from './request-contract.ts';

const KEY = 'provider-key-0123456789';
const WRAPPED = 'svc_sk_wrapped';

/** Paths that two parsers could read differently. */
const TRICKS = [
  '/v1/../v1/models',
  '/v1/models/..',
  '/v1/models/../..',
  '/./v1/models',
  '//v1/models',
  '/v1//models',
  '/v1/models/%2e%2e',
  '/v1/models/..%2fadmin',
  '/v1%2fmodels',
  '/v1/models\\..\\x',
  '/v1/models?key=x',
  '/v1/models#x',
  '/v1/models;x=1',
  '/v1/mod\u0000els',
  '/v1/models\r\nx-evil: 1',
  '/v1/models/\u00e4',
  'v1/models',
  ' /v1/models',
  // A wrapped key must not reach the provider.
  '/v1/models/svc_sk_evil',
];

/** Model lists of providers that check keys at another path, which is not served because it exposes the provider account. */
const SERVED_MODEL_LISTS: ReadonlyMap<string, string | null> = new Map([
  ['openrouter', '/models'],
  ['perplexity', '/models'],
  // It has no list at the address of its models.
  ['bedrock', null],
]);

const containing = (text: string): unknown => expect.stringContaining(text);
const matching = (pattern: RegExp): unknown => expect.stringMatching(pattern);

/** Returns the call that a provider declares as the first one of a client. */
export function toContractCall({ clientPath, firstCall: { path, body } }: Provider): ContractCall {
  return { path: clientPath + path, body: JSON.parse(body.join('\n')) as ContractCall['body'] };
}

/** Declares the tests that every provider must pass. */
export function providerContract(provider: Provider, call: ContractCall): void {
  const { path, body } = call;
  const served = SERVED_MODEL_LISTS.get(provider.id);
  const modelListPath = served === undefined ? provider.modelListPath : served;
  const inference = (): InferenceRoute => {
    const route = provider.route('POST', path);
    if (route.kind !== 'inference') throw new Error(`${provider.id} does not serve ${path}`);
    return route;
  };
  const encode = (value: unknown): Uint8Array =>
    new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value));
  const reading = (value: unknown): TollbookError => {
    try {
      inference().readRequest(encode(value));
    } catch (error) {
      if (error instanceof TollbookError) return error;
      throw error;
    }
    throw new Error('accepted');
  };

  requestContract(provider, call);

  describe(`${provider.name} as a provider`, () => {
    test('has a plain id, URL and header name', () => {
      expect(provider.id).toMatch(/^[a-z][a-z0-9-]*$/);
      expect(provider.url).toMatch(/^https?:\/\/.*[^/]$/);
      expect(provider.modelListPath).toMatch(/^\/[a-z0-9/-]+$/);
      expect(provider.requestIdHeader).toBe(provider.requestIdHeader.toLowerCase());
    });

    test.each(TRICKS)('refuses the path %j for every method', (trick) => {
      for (const method of ['GET', 'POST', 'DELETE']) {
        const route = provider.route(method, trick);
        expect(route).toMatchObject({ kind: 'none', status: 400 });
        expect(JSON.stringify(route)).not.toContain('evil');
      }
    });

    test('names the served paths for an unknown path, and the right method for a wrong one', () => {
      expect(provider.route('POST', '/v1/no/such/thing')).toMatchObject({
        kind: 'none',
        status: 404,
        reason: containing('Served'),
      });
      const isSocket = provider.route('GET', path).kind === 'socket';
      for (const method of [...(isSocket ? [] : ['GET']), 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'CONNECT', 'post'])
        expect(provider.route(method, path)).toMatchObject({
          kind: 'none',
          status: 405,
          reason: containing('POST'),
        });
    });

    test.skipIf(modelListPath === null)('lists models free of charge', () => {
      expect(provider.route('POST', `${modelListPath}`), `POST ${modelListPath}, the modelListPath`).toMatchObject({
        kind: 'none',
        status: 405,
        reason: containing('GET'),
      });
      for (const listed of [`${modelListPath}`, `${modelListPath}/some-model`])
        expect(
          provider.route('GET', listed),
          `GET ${listed} must be a free route: ${provider.id} has the modelListPath ${modelListPath}`,
        ).toEqual({ kind: 'free', upstreamPath: listed });
    });

    test("sets its own key and leaves no other secret in the upstream's headers", () => {
      const alone = authorized(provider, {});
      expect(Object.values(alone)).toEqual([expect.stringMatching(new RegExp(`(^| )${KEY}$`))]);
      for (const carrier of KEY_HEADERS)
        expect(authorized(provider, { accept: '*/*', [carrier]: `Bearer ${WRAPPED}` })).toEqual({
          accept: '*/*',
          ...alone,
        });
    });

    test('sends its key in a header that is known as one, so that logs hide it and clients may send it', () => {
      for (const name of keyHeaders(provider))
        expect(KEY_HEADERS, `add "${name}" to KEY_HEADERS of src/lib/http/key-headers.ts`).toContain(name);
    });

    test('refuses an invalid provider key without repeating it', () => {
      expect(provider.refuseKey(KEY)).toBeNull();
      for (const key of ['', 'two words', 'line\nbreak', 'tab\t', 'ä', WRAPPED]) {
        const reason = provider.refuseKey(key);
        expect(reason).toMatch(/\.$/);
        if (key) expect(reason).not.toContain(key);
      }
    });

    test('renders every error of Tollbook as JSON with its status and message', () => {
      for (const [type, status] of Object.entries(ERROR_STATUS)) {
        const rendered = provider.renderError({ status, type, message: 'Say "what" to do.', callId: 'call_1' });
        expect(rendered.status).toBe(status);
        expect(rendered.headers['content-type']).toBe('application/json');
        expect(rendered.headers['retry-after']).toBeUndefined();
        expect(textsIn(JSON.parse(rendered.body))).toContain('Say "what" to do.');
      }
    });

    test('says when to retry, or not to retry', () => {
      const error = { status: 429, type: 'rate_limited', message: 'Wait.', callId: null };
      expect(provider.renderError({ ...error, retryAfter: 1.2 }).headers).toMatchObject({ 'retry-after': '2' });
      expect(provider.renderError({ ...error, retryAfter: 1 }).headers['x-should-retry']).toBeUndefined();
      expect(provider.renderError(error).headers).toMatchObject({ 'x-should-retry': 'false' });
      expect(provider.renderError({ ...error, status: 402 }).headers).toMatchObject({ 'x-should-retry': 'false' });
    });

    test('includes the facts for programs', () => {
      const error = { status: 402, type: 'spent', message: 'Spent.', callId: null };
      const { body: reported } = provider.renderError({ ...error, facts: { limit: 'lim_1', left: 0, resetsAt: null } });
      expect(textsIn(JSON.parse(reported))).toContain('Spent.');
      expect(reported).toMatch(/"limit":"lim_1","left":"?0/);
    });

    test('reads a request the same way whole and in slices', () => {
      const large = encode({ ...body, padding: 'x'.repeat(3_000_000) });
      const slices = inference().readRequestInSlices(large);
      let steps = 0;
      let step = slices.next();
      for (; !step.done; step = slices.next()) steps++;
      expect(steps).toBe(2);
      const atOnce = inference().readRequest(large);
      const opaque = { openReader: null, forward: null, counter: null };
      expect({ ...step.value, ...opaque }).toEqual({ ...atOnce, ...opaque });
    });

    test.each<[string, unknown]>([
      ['nothing', ''],
      ['no JSON', 'hello'],
      ['a list', '[]'],
      ['a cut-off body', JSON.stringify(body).slice(0, -1)],
      ['two bodies', JSON.stringify(body).repeat(2)],
      ['a byte order mark', `\ufeff${JSON.stringify(body)}`],
      ['deep nesting', `{"x":${'['.repeat(5_000)}${']'.repeat(5_000)}}`],
    ])('refuses %s with a sentence', (_name, value) => {
      expect(reading(value)).toMatchObject({
        type: 'invalid',
        message: matching(/^The request body .*\.$/),
      });
    });

    test('refuses a repeated member that affects cost or policy', () => {
      for (const name of Object.keys(body)) {
        const twice = JSON.stringify(body).replace(/^\{/, `{"${name}":1,`);
        expect(reading(twice)).toMatchObject({ type: 'invalid', param: name });
        const shouted = JSON.stringify(body).replace(/^\{/, `{"${name.toUpperCase()}_":1,`);
        expect(reading(shouted)).toMatchObject({ type: 'invalid', param: name });
      }
    });

    test('finds no usage in answers without any', () => {
      const { openReader } = inference().readRequest(encode(body));
      for (const contentType of ['application/json', 'text/event-stream', 'text/html', ''])
        for (const answer of [
          '',
          '{}',
          '[]',
          'null',
          '<html>',
          'data: {}\n\n',
          'data: [1]\n\n',
          '\u0000\u0001',
          '"',
          '{"usage":null}',
        ])
          expect(read(openReader(answerHead(contentType)), [encode(answer)])).toMatchObject({
            errored: false,
            model: null,
            responseId: null,
            outputBytes: 0,
            usage: null,
          });
    });
  });
}

/** Names of the headers in which a provider reads its key. */
export function keyHeaders(provider: Provider): string[] {
  return Object.keys(authorized(provider, {}));
}

function authorized(provider: Provider, headers: Record<string, string>): Record<string, string> {
  provider.authorize(headers, KEY);
  return headers;
}

/** Returns all texts in a value, because each provider has its message in another place. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(textsIn) : [];
}
