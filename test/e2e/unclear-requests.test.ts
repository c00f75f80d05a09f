import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { sampleBudget } from '../../src/limits/contract/sample-limits.ts';
import { buildProviders } from '../../src/providers/providers.ts';
import { type ProviderDouble, startProviderDouble } from '../doubles/provider-double.ts';
import { TEST_GATEWAY_SECRET, startTestGateway } from '../gateway.ts';

// A limit of two cents: what a request may mean, not what it seems to say, decides whether it fits.

let double: ProviderDouble;
let gateway: Awaited<ReturnType<typeof startTestGateway>>;
beforeAll(async () => {
  double = await startProviderDouble();
});
afterEach(() => gateway.gateway.close(0));
afterAll(() => double.close());

/** Status and kind of the answer, and how many requests reached the provider. */
async function call(provider: string, path: string, body: string): Promise<readonly [number, string, number]> {
  const limits = [sampleBudget('lim_1', 20_000_000, { workspaceId: 'ws_default', window: 'total' })];
  gateway = await startTestGateway(buildProviders({ urls: double.urls, custom: [] }), { limits, provider, policy: {} });
  const from = double.requests.length;
  const headers = { authorization: `Bearer ${TEST_GATEWAY_SECRET}`, 'content-type': 'application/json' };
  const answer = await fetch(`${gateway.url}/api/proxy/${provider}/${path}`, { method: 'POST', headers, body });
  return [answer.status, await answer.text(), double.requests.length - from];
}

const draw = (config: string): string =>
  `{"contents":[{"parts":[{"text":"draw"}]}],"generationConfig":{"maxOutputTokens":4000${config}}}`;
const say = (more: object): string =>
  JSON.stringify({
    model: 'gpt-4o',
    max_tokens: 100,
    messages: [{ role: 'user', content: 'Hi' }],
    ...more,
  });

describe('a request whose response may be an image', () => {
  test.each([
    ['a word in place of a list', ',"responseModalities":"IMAGE"'],
    ['a number', ',"responseModalities":[2]'],
    ['a number as a text', ',"responseModalities":["2"]'],
    ['nothing', ',"responseModalities":[]'],
    ['an unspecified kind', ',"responseModalities":["MODALITY_UNSPECIFIED"]'],
    ['a list behind more spaces than are read', `,"responseModalities":[${' '.repeat(5_000)}"IMAGE"]`],
    ['no kind', ''],
    ['its kind', ',"responseModalities":["IMAGE"]'],
  ])('does not pass at the price of text: %s', async (_name, config) => {
    const [status, , reached] = await call(
      'google',
      'v1beta/models/gemini-2.5-flash-image:generateContent',
      draw(config),
    );
    expect([status, reached]).toEqual([402, 0]);
  });

  test('passes at the text price if it asks for text', async () => {
    const text = ',"responseModalities":["TEXT"]';
    const [status] = await call('google', 'v1beta/models/gemini-2.5-flash-image:generateContent', draw(text));
    expect(status).toBe(200);
  });
});

test('a request for speech is refused with the reason if the model has no speech price', async () => {
  const spoken = say({ modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'wav' } });
  const [status, body, reached] = await call('openai', 'v1/chat/completions', spoken);
  expect([status, reached]).toEqual([402, 0]);
  expect(body).toContain('requests from gpt-4o has no known price (its kind of input or output');
});

test('a request for text from the same model passes', async () => {
  expect((await call('openai', 'v1/chat/completions', say({})))[0]).toBe(200);
});
