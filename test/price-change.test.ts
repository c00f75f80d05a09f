import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildProviders } from '../src/providers/providers.ts';
import { type ProviderDouble, startProviderDouble } from './doubles/provider-double.ts';
import { GATE_SECRET, startGate } from './gate.ts';

let double: ProviderDouble;
beforeAll(async () => {
  double = await startProviderDouble();
});
afterAll(() => double.close());

test('a call that may end after its price has risen is held at the dearer price', async () => {
  const providers = buildProviders({ urls: double.urls, custom: [] });
  const { gate, entries, time, url } = await startGate(providers, { provider: 'google' });
  const body = JSON.stringify({
    contents: [{ parts: [{ text: 'Hi' }] }],
    generationConfig: { maxOutputTokens: 1_000, responseModalities: ['TEXT'] },
  });
  const headers = { authorization: `Bearer ${GATE_SECRET}` };
  const held = async (at: string): Promise<number> => {
    time.now = Date.parse(at);
    const path = `${url}/api/proxy/google/v1beta/models/gemini-4-argon:generateContent`;
    expect((await fetch(path, { method: 'POST', headers, body })).status).toBe(200);
    return entries().at(-1)?.hold.usd ?? Number.NaN;
  };
  const before = await held('2026-11-30T22:59:00Z');
  const near = await held('2026-11-30T23:01:00Z');
  const after = await held('2026-12-01T00:01:00Z');
  expect(near).toBe(after);
  expect(near).toBeGreaterThan(before);
  await gate.close(0);
});
