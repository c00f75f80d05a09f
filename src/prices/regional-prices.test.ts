import { describe, expect, test } from 'vitest';
import { boundCall } from '../domain/limits/cost-bound.ts';
import { OPEN_POLICY } from '../domain/policy/policy.ts';
import { priceUsage } from '../domain/pricing/pricing.ts';
import { accountTerms, withGeo } from '../providers/provider-host.ts';
import type { InferenceRoute, Provider } from '../providers/provider.ts';
import { buildProviders } from '../providers/providers.ts';
import { createPriceBook } from './price-book.ts';

const NOW = Date.UTC(2026, 10, 22);
const book = createPriceBook();
const resolve = (model: string) => book.resolve('ws', 'openai', model, NOW);

function served(url?: string): Provider {
  const providers = buildProviders({ urls: url === undefined ? {} : { openai: url }, custom: [] });
  return providers.get('openai')!;
}

function facts(model: string) {
  const { readRequest } = served().route('POST', '/v1/responses') as InferenceRoute;
  return readRequest(Buffer.from(JSON.stringify({ model, max_output_tokens: 1_000, input: 'Hi' })));
}

/** Nano-dollars that a call holds, and that its usage is priced at. */
function amounts(model: string, url?: string, geo: string | null = null) {
  const provider = served(url);
  const policy = { ...OPEN_POLICY, geo, tier: 'default' };
  const { demand, openReader } = facts(model);
  const models = [{ cards: [resolve(model)!], outputMax: null }];
  const reader = openReader({ status: 200, contentType: 'application/json', headers: {} });
  reader.push(Buffer.from('{"usage":{"input_tokens":1000,"output_tokens":1000,"total_tokens":2000}}'));
  const usage = withGeo(reader.usage(), policy, provider)!;
  return {
    held: boundCall(demand, models, accountTerms(policy, provider)).hold.usd!,
    booked: priceUsage(usage, model, resolve).cost,
  };
}

describe('the regions of OpenAI', () => {
  const plain = amounts('gpt-5.4');

  test.each(['us', 'eu', 'jp'])('cost 10%% more for newer models, held and booked: %s', (region) => {
    const there = amounts('gpt-5.4', `https://${region}.api.openai.com/v1`);
    expect(there.held / plain.held).toBeCloseTo(1.1, 5);
    expect(there.booked! / plain.booked!).toBeCloseTo(1.1, 5);
    // A policy cannot make the host cheaper.
    expect(amounts('gpt-5.4', `https://${region}.api.openai.com/v1`, 'global')).toEqual(there);
  });

  test('cost the same for older models', () => {
    expect(amounts('gpt-5', 'https://eu.api.openai.com')).toEqual(amounts('gpt-5'));
  });

  test('are held at the highest price if neither URL nor policy names one', () => {
    const elsewhere = amounts('gpt-5.4', 'https://name.openai.azure.com');
    expect(elsewhere.held / plain.held).toBeCloseTo(1.1, 5);
    expect(elsewhere.booked).toBe(plain.booked);
    expect(amounts('gpt-5.4', 'https://name.openai.azure.com', 'global')).toEqual(plain);
  });

  test('count by the policy of a key whose project has one', () => {
    const project = amounts('gpt-5.4', undefined, 'au');
    expect(project.held / plain.held).toBeCloseTo(1.1, 5);
    expect(project.booked! / plain.booked!).toBeCloseTo(1.1, 5);
  });

  test('without a known price leave the cost unknown', () => {
    const unknown = amounts('gpt-5.4', 'https://atlantis.api.openai.com');
    expect(unknown.booked).toBeNull();
    expect(unknown.held / plain.held).toBeCloseTo(1.1, 5);
  });
});
