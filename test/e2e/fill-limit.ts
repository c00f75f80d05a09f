import { expect } from 'vitest';
import { type Ask, type Limited, requestOf } from './limited.ts';

/** One nano-dollar per input token and a thousand per output token, so any amount can be spent exactly. */
const MODEL = 'exact-1';
const OUTPUT_NANO = 1_000;
const NANO_PER_USD = 1e9;
/** More output than any limit of these tests allows. */
const TOO_MUCH = 1_999_999;

export async function setExactPrice(limited: Limited): Promise<void> {
  const usdPerMillion = { input: '0.001', output: '1' };
  await limited.manage('POST', '/prices', { provider: 'openai', model: MODEL, usdPerMillion });
}

/** Checks that a dollar limit admits a call that needs exactly the rest, and none that needs a nano-dollar more. */
export async function expectFills(limited: Limited, id: string, tags: Ask['tags'] = {}): Promise<void> {
  const { remaining } = await limited.settled(id);
  const nano = Math.round(remaining * NANO_PER_USD);
  const probe = await limited.call(askOf(TOO_MUCH, 0, tags));
  expect(probe.status, probe.text).toBe(402);
  // What it needs beside its output and its letters.
  const base = needOf(probe.text) - TOO_MUCH * OUTPUT_NANO - lengthOf(askOf(TOO_MUCH, 0, tags));
  const exact = fitting(nano, base, tags);
  const more = await limited.call(exact(1));
  expect([more.status, needOf(more.text)], more.text).toEqual([402, nano + 1]);
  expect((await limited.settled(id)).remaining).toBe(remaining);
  const ask = exact(0);
  const used = { input: nano - (ask.maxTokens ?? 0) * OUTPUT_NANO, output: ask.maxTokens ?? 0 };
  const fits = await limited.call({ ...ask, plan: { tokens: used } });
  expect(fits.status, fits.text).toBe(200);
  const full = await limited.settled(id);
  expect({ left: full.remaining, held: full.held }).toEqual({ left: 0, held: 0 });
  expect(full.counted).toBe(full.effectiveAmount);
  expect((await limited.call(askOf(1, 0, tags))).status).toBe(402);
}

/** Asks that need exactly `nano` and so many more. */
function fitting(nano: number, base: number, tags: Ask['tags']): (more: number) => Ask {
  // A few letters are left for the prompt to make up.
  const maxTokens = Math.floor((nano - base - lengthOf(askOf(TOO_MUCH, 0, tags))) / OUTPUT_NANO);
  const letters = nano - base - maxTokens * OUTPUT_NANO - lengthOf(askOf(maxTokens, 0, tags));
  return (more) => askOf(maxTokens, letters + more, tags);
}

function askOf(maxTokens: number, letters: number, tags: Ask['tags'] = {}): Ask {
  return { provider: 'openai', model: MODEL, maxTokens, prompt: 'x'.repeat(letters), tags };
}

function lengthOf(ask: Ask): number {
  return requestOf(ask).body.length;
}

function needOf(text: string): number {
  const { error } = JSON.parse(text) as { error: { details?: { needed: number } } };
  return Math.round((error.details?.needed ?? Number.NaN) * NANO_PER_USD);
}
