import { afterAll, beforeAll, expect, test } from 'vitest';
import type { InferenceRoute, Provider, ProviderRoute } from '../src/providers/provider.ts';
import { buildProviders } from '../src/providers/providers.ts';
import { type ProviderDouble, startProviderDouble } from './doubles/provider-double.ts';
import { TEST_GATEWAY_SECRET, startTestGateway } from './gateway.ts';
import { eventually } from './service.ts';

const MIB = 1_048_576;

let double: ProviderDouble;
beforeAll(async () => {
  double = await startProviderDouble();
});
afterAll(() => double.close());

/** Anthropic, whose reading of a large body goes on only when the test says so. */
function patientProviders(mayGoOn: () => boolean, reading: () => void): Map<string, Provider> {
  const providers = buildProviders({ urls: double.urls, custom: [] });
  const anthropic = providers.get('anthropic');
  if (!anthropic) throw new Error('There is no Anthropic.');
  const route = (method: string, rest: string) => {
    const found = anthropic.route(method, rest);
    return found.kind === 'inference' ? patient(found) : found;
  };
  return new Map([['anthropic', { ...anthropic, route }]]);

  function patient(real: InferenceRoute): ProviderRoute {
    function* readRequestInSlices(body: Uint8Array) {
      reading();
      while (!mayGoOn()) yield;
      return yield* real.readRequestInSlices(body);
    }
    return { ...real, readRequestInSlices };
  }
}

function post(url: string, size: number, signal?: AbortSignal): Promise<Response> {
  const message = { role: 'user', content: 'a'.repeat(size) };
  const body = JSON.stringify({ model: 'claude-haiku-4-5', max_tokens: 16, messages: [message] });
  const headers = { 'x-api-key': TEST_GATEWAY_SECRET };
  return fetch(`${url}/api/proxy/anthropic/v1/messages`, { method: 'POST', headers, body, signal: signal ?? null });
}

test('other calls are answered while a large body is read, which is then sent unchanged', async () => {
  let answered = false;
  const begun = Promise.withResolvers<void>();
  const { gateway, entries, url } = await startTestGateway(patientProviders(() => answered, begun.resolve));
  const large = post(url, 8 * MIB);
  await begun.promise;
  expect((await post(url, 10)).status).toBe(200);
  expect(entries()).toHaveLength(1);
  answered = true;
  expect((await large).status).toBe(200);
  expect(double.requests.at(-1)?.body.length).toBeGreaterThan(8 * MIB);
  expect(entries()).toHaveLength(2);
  await gateway.close(0);
});

test('a client that disconnects while its body is read sends nothing, and its memory is freed', async () => {
  const seen = double.requests.length;
  let left = false;
  const begun = Promise.withResolvers<void>();
  const { gateway, entries, url } = await startTestGateway(patientProviders(() => left, begun.resolve));
  const client = new AbortController();
  const large = post(url, 8 * MIB, client.signal);
  await begun.promise;
  client.abort();
  await expect(large).rejects.toThrow(/abort/);
  const held = async () => /^tollbook_body_bytes (\d+)$/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1];
  await eventually(held, (bytes) => bytes === '0');
  left = true;
  expect((await post(url, 10)).status).toBe(200);
  expect(entries()).toHaveLength(1);
  expect(double.requests).toHaveLength(seen + 1);
  await gateway.close(0);
});

test('a large unreadable body is refused, and its memory is freed', async () => {
  const { gateway, entries, url } = await startTestGateway(buildProviders({ urls: double.urls, custom: [] }));
  const headers = { 'x-api-key': TEST_GATEWAY_SECRET };
  const body = `{"model":"claude-haiku-4-5","messages":["${'a'.repeat(3 * MIB)}"`;
  const answer = await fetch(`${url}/api/proxy/anthropic/v1/messages`, { method: 'POST', headers, body });
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ error: { message: expect.stringMatching(/cut off/) } });
  expect(await (await fetch(`${url}/metrics`)).text()).toMatch(/^tollbook_body_bytes 0$/m);
  expect(entries()).toEqual([]);
  await gateway.close(0);
});
