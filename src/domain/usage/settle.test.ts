import { NO_CONTEXT } from './call-context.ts';
import { describe, expect, test } from 'vitest';
import type { CallBegin } from './call.ts';
import { isUncertain, isUnpriced, uncertainUpTo } from './call.ts';
import type { RateCard } from '../pricing/price.ts';
import { type ObservedResponse, settleCall } from './settle.ts';
import { NO_TERMS, type Usage } from './usage.ts';

const card: RateCard = {
  provider: 'p',
  model: 'm',
  from: null,
  until: null,
  tiers: [
    { above: -1, rates: { input: 1_000, output: 5_000 } },
    { above: 100, rates: { input: 2_000, output: 10_000 } },
  ],
  speeds: {},
  tierMultipliers: {},
  geoMultipliers: {},
  fees: { webSearch: 10_000_000_000 },
  contextWindow: 1_000,
  version: 'v1',
  source: 'test',
};
const priced = (model: string): RateCard | null => (model === 'm' ? card : null);

const begin: CallBegin = {
  callId: 'call_1',
  workspaceId: 'ws',
  keyId: 'key',
  provider: 'p',
  operation: 'o',
  requestedModel: 'm',
  stream: true,
  tags: {},
  sessionHash: null,
  context: NO_CONTEXT,
  shortenedTo: null,
  startedAt: 1_000,
  hold: { usd: 50_000, inputTokens: 200, outputTokens: 40 },
  touched: [],
};

const usage: Usage = {
  inferences: [{ model: null, tokens: { input: 10, output: 4 }, promptTokens: 10 }],
  uses: {},
  thinking: 0,
  terms: NO_TERMS,
};

const seen: ObservedResponse = {
  endedAt: 2_000,
  status: 200,
  stopped: null,
  complete: true,
  errored: false,
  usage,
  outputBytes: 16,
  bodyBytes: 80,
  model: 'm',
  requestId: 'req',
  responseId: 'res',
  firstByteMs: 5,
};

test('reported usage with a price costs and counts exactly that', () => {
  expect(settleCall(begin, seen, priced)).toMatchObject({
    outcome: 'completed',
    uncertainReason: null,
    usageSource: 'reported',
    cost: 30,
    counted: { usd: 30, inputTokens: 10, outputTokens: 4 },
    provenance: { from: 'price', versions: ['v1'] },
    requestId: 'req',
    responseId: 'res',
  });
});

test('a call covered by the client’s subscription costs nothing, and counts its list price', () => {
  const covered = settleCall({ ...begin, isSubscription: true }, seen, priced);
  expect(covered).toMatchObject({ cost: 0, counted: { usd: 30 }, provenance: { from: 'subscription' } });
  const lost = settleCall({ ...begin, isSubscription: true }, { ...seen, stopped: 'crash', usage: null }, priced);
  expect(lost).toMatchObject({ cost: 0, counted: begin.hold, provenance: { from: 'subscription' } });
});

test('a model without a price costs null, counts its hold, and is unpriced instead of uncertain', () => {
  const end = settleCall(begin, { ...seen, model: 'unheard-of' }, priced);
  expect(end).toMatchObject({
    cost: null,
    uncertainReason: 'no_price',
    usageSource: 'reported',
    counted: { usd: 50_000 },
  });
  expect([isUnpriced(end), isUncertain(end), uncertainUpTo(end)]).toEqual([true, false, 0]);
});

describe.each([
  ['a 2xx without usage', { usage: null }, 'completed', 'no_usage'],
  ['an error event in the stream', { errored: true }, 'broken', 'error_event'],
  ['an answer that ends in its middle', { complete: false }, 'broken', 'truncated'],
  ['a reset', { complete: false, stopped: 'reset' }, 'broken', 'reset'],
  [
    'a time-out before any answer',
    { complete: false, usage: null, status: 0, stopped: 'timeout' },
    'broken',
    'timeout',
  ],
  ['an encoding that is broken', { complete: false, stopped: 'unreadable' }, 'broken', 'unreadable'],
  ['a crash', { complete: false, usage: null, status: 0, stopped: 'crash' }, 'lost', 'crash'],
] as const)('%s', (_what, change, outcome, uncertainReason) => {
  test('costs null and counts the whole hold', () => {
    const end = settleCall(begin, { ...seen, ...change }, priced);
    expect(end).toMatchObject({ outcome, uncertainReason, cost: null, counted: begin.hold, provenance: null });
    expect(uncertainUpTo(end)).toBe(50_000);
  });
});

test('a call that may be billed differently is uncertain and counts at its prices', () => {
  const certain = settleCall(begin, seen, priced);
  const end = settleCall(begin, { ...seen, usage: { ...seen.usage!, otherBilling: true } }, priced);
  expect(end).toMatchObject({ uncertainReason: 'other_billing', cost: certain.cost, counted: certain.counted });
});

test.each([
  ['the request may cost', { ...seen, unlistedFee: 70 }, 100],
  ['the answer shows', { ...seen, usage: { ...usage, hasUnlistedFee: true } }, 30],
] as const)(
  'a fee on no price list that %s is uncertain, and limits count what is assumed for it',
  (_by, answer, usd) => {
    const end = settleCall(begin, answer, priced);
    expect(end).toMatchObject({ uncertainReason: 'unlisted_fee', cost: 30, counted: { usd, inputTokens: 10 } });
    expect(uncertainUpTo(end)).toBe(usd - 30);
    const unpriced = settleCall(begin, { ...answer, model: 'unheard-of' }, priced);
    expect(unpriced).toMatchObject({ uncertainReason: 'no_price', cost: null, counted: { usd: 50_000 } });
  },
);

test('a cost that the provider states includes all fees', () => {
  const stated = { ...usage, statedCost: 90, hasUnlistedFee: true } as const;
  const end = settleCall(begin, { ...seen, usage: stated, unlistedFee: 70 }, priced);
  expect(end).toMatchObject({ uncertainReason: null, cost: 90, counted: { usd: 90 } });
});

test.each([
  [400, 'error_event'],
  [408, 'timeout'],
] as const)('a %i that the host may charge for costs null and counts the whole hold', (status, uncertainReason) => {
  const refused = { ...seen, status, usage: null, errored: true, chargedRefusal: true };
  expect(settleCall(begin, refused, priced)).toMatchObject({
    outcome: 'broken',
    uncertainReason,
    cost: null,
    counted: begin.hold,
  });
});

test('a stream cut off because its usage exceeded its hold counts that usage', () => {
  const inferences = [{ model: null, tokens: { input: 10, output: 60_000 }, promptTokens: 10 }];
  const several = { inferences, uses: {}, thinking: 0, terms: NO_TERMS };
  const end = settleCall(begin, { ...seen, usage: several, complete: false, stopped: 'overrun' }, priced);
  expect(end).toMatchObject({ outcome: 'broken', uncertainReason: 'overrun', cost: null });
  expect(end.counted).toMatchObject({ inputTokens: 200, outputTokens: 60_000 });
  expect(end.counted.usd).toBeGreaterThan(50_000);
});

test.each([504, 524])('a %i that is not the provider’s own error costs null and counts the whole hold', (status) => {
  const uncertainReason = 'timeout';
  const cut = { ...seen, status, usage: null, complete: false };
  expect(settleCall(begin, cut, priced)).toMatchObject({
    outcome: 'broken',
    uncertainReason,
    cost: null,
    counted: begin.hold,
  });
  const own = settleCall(begin, { ...cut, errored: true, complete: true }, priced);
  expect(own).toMatchObject({ outcome: 'failed', uncertainReason: null, cost: 0, counted: { usd: 0 } });
});

test.each([502, 520])('a %i costs nothing: an outage with many retries uses up no limit', (status) => {
  const cut = { ...seen, status, usage: null, complete: false };
  expect(settleCall(begin, cut, priced)).toMatchObject({ outcome: 'failed', cost: 0, counted: { usd: 0 } });
});

test.each([
  [429, 'failed'],
  [500, 'failed'],
  [302, 'failed'],
])('a provider that answers %i charges nothing', (status, outcome) => {
  expect(settleCall(begin, { ...seen, status, usage: null, complete: false }, priced)).toMatchObject({
    outcome,
    uncertainReason: null,
    cost: 0,
    counted: { usd: 0, inputTokens: 0, outputTokens: 0 },
  });
});

test('a call that was not sent costs and counts nothing', () => {
  const end = settleCall(begin, { ...seen, status: 0, usage: null, complete: false, stopped: 'not_sent' }, priced);
  expect(end).toMatchObject({ outcome: 'not_sent', cost: 0, counted: { usd: 0 } });
});

describe('a client that disconnected', () => {
  const left = { ...seen, complete: false, stopped: 'client_left' } as const;

  test('has an estimated cost for the delivered part, is uncertain, and counts the whole hold', () => {
    const end = settleCall(begin, { ...left, usage: null, outputBytes: 40 }, priced);
    // 80 bytes of body are about 20 tokens, 40 bytes of text about 10.
    expect(end).toMatchObject({
      outcome: 'client_left',
      uncertainReason: 'client_left',
      usageSource: 'counted',
      cost: 70,
      counted: begin.hold,
    });
    expect(uncertainUpTo(end)).toBe(50_000 - 70);
  });

  test('after the input was reported has an estimate based on it', () => {
    const early: Usage = {
      ...usage,
      inferences: [{ model: null, tokens: { input: 10, output: 1 }, promptTokens: 10 }],
    };
    expect(settleCall(begin, { ...left, usage: early, outputBytes: 40 }, priced).cost).toBe(60);
  });

  test('never has an effective cost above what limits count', () => {
    const longer = { ...left, usage: null, outputBytes: 4_000_000 };
    const end = settleCall({ ...begin, hold: { ...begin.hold, usd: 100 } }, longer, priced);
    expect(end.cost).toBe(100);
    expect(end.usage?.inferences[0]?.tokens.output).toBe(begin.hold.outputTokens);
    const image = settleCall(begin, { ...left, usage: null, bodyBytes: 4_000_000 }, priced);
    expect(image.usage?.inferences[0]?.tokens.input).toBe(begin.hold.inputTokens);
  });
});

test('a crash after the input was noted counts the bound of the output only', () => {
  const early: Usage = { ...usage, inferences: [{ model: null, tokens: { input: 10 }, promptTokens: 10 }] };
  const end = settleCall(begin, { ...seen, status: 0, complete: false, stopped: 'crash', usage: early }, priced);
  // 10 tokens of input and the 40 tokens of output that were held.
  expect(end.counted).toEqual({ usd: 10 + 200, inputTokens: 10, outputTokens: 40 });
  expect(end.cost).toBeNull();
});

test.each([
  ['speed', { speeds: { fast: { input: 6_000, output: 30_000 } } }],
  ['tier', { tierMultipliers: { priority: { num: 2, den: 1 } } }],
  ['geo', { geoMultipliers: { us: { num: 11, den: 10 } } }],
] as const)(
  'a crash before the response said its %s counts the whole hold if the price depends on it',
  (term, dearer) => {
    const early: Usage = { ...usage, inferences: [{ model: null, tokens: { input: 10 }, promptTokens: 10 }] };
    const crashed: ObservedResponse = { ...seen, status: 0, complete: false, stopped: 'crash', usage: early };
    const resolve = (): RateCard => ({ ...card, ...dearer });
    expect(settleCall(begin, crashed, resolve).counted).toEqual(begin.hold);
    const found = { ...early, terms: { ...NO_TERMS, [term]: term === 'geo' ? 'global' : 'standard' } };
    expect(settleCall(begin, { ...crashed, usage: found }, resolve).counted.usd).toBe(10 + 200);
  },
);

describe('reported usage above the hold is counted in full', () => {
  const tokens = { input: 300, output: 50_000 };
  const found: Usage = { ...usage, inferences: [{ model: null, tokens, promptTokens: 300 }] };
  const bill = 300 * 2 + 50_000 * 10;

  test.each([
    ['an error event', { errored: true }],
    ['a reset', { complete: false, stopped: 'reset' }],
    ['a time-out', { complete: false, stopped: 'timeout' }],
    ['an encoding that is broken', { complete: false, stopped: 'unreadable' }],
    ['an end in its middle', { complete: false }],
    ['a client that disconnected', { complete: false, stopped: 'client_left' }],
  ] as const)('after %s', (_what, change) => {
    const end = settleCall(begin, { ...seen, usage: found, ...change }, priced);
    expect(end.counted).toEqual({ usd: bill, inputTokens: 300, outputTokens: 50_000 });
    expect(end.cost ?? 0).toBeLessThanOrEqual(bill);
  });

  test('if its length tier is uncertain, at the higher price', () => {
    const several = { ...found, inferences: [{ model: null, tokens, promptTokens: null }] };
    const end = settleCall(begin, { ...seen, usage: several }, priced);
    expect(end).toMatchObject({
      uncertainReason: 'length_tier',
      cost: bill / 2,
      counted: { usd: bill, outputTokens: 50_000 },
    });
    expect(uncertainUpTo(end)).toBe(bill / 2);
  });

  test('if the hold had no price and the response has one', () => {
    const free = { ...begin, hold: { ...begin.hold, usd: null } };
    expect(settleCall(free, { ...seen, usage: found, errored: true }, priced).counted.usd).toBe(bill);
  });
});

test('several passes with only a known sum are priced at the base tier, and uncertain if their tier is unknown', () => {
  const passes = (input: number): ObservedResponse => ({
    ...seen,
    usage: {
      ...usage,
      inferences: [{ model: null, tokens: { input, output: 4 }, promptTokens: null }],
      uses: { webSearch: 1 },
    },
  });
  expect(settleCall(begin, passes(100), priced)).toMatchObject({
    uncertainReason: null,
    cost: 10_000_120,
    usageSource: 'reported',
  });
  expect(settleCall(begin, passes(101), priced)).toMatchObject({
    uncertainReason: 'length_tier',
    cost: 10_000_121,
    usageSource: 'counted',
    counted: { ...begin.hold, usd: 10_000_242 },
  });
});

describe('a cost stated by the provider', () => {
  const stated = { ...usage, statedCost: 70_000 };
  test('is the cost, and what limits count, above or below the price', () => {
    for (const statedCost of [0, 70_000])
      expect(settleCall(begin, { ...seen, usage: { ...usage, statedCost } }, priced)).toMatchObject({
        cost: statedCost,
        counted: { usd: statedCost },
        provenance: { from: 'provider' },
        uncertainReason: null,
      });
  });
  test('is the cost if no price is known', () => {
    expect(settleCall(begin, { ...seen, usage: stated }, () => null)).toMatchObject({
      cost: 70_000,
      uncertainReason: null,
    });
  });
  test('does not replace a custom price', () => {
    const custom = { ...card, version: 'user/1' };
    expect(settleCall(begin, { ...seen, usage: stated }, () => custom)).toMatchObject({
      cost: 30,
      provenance: { from: 'price' },
    });
  });
  test('is kept with the costs that listed and contracted prices give', () => {
    const seenStated = { ...seen, usage: { ...usage, statedCost: 27 } };
    expect(settleCall(begin, seenStated, priced)).toMatchObject({ cost: 27, priced: { list: 30, contracted: 30 } });
    const half = { ...card, contractMultiplier: { num: 1, den: 2 } };
    const contracted = settleCall(begin, seenStated, () => half, priced);
    expect(contracted).toMatchObject({ cost: 27, priced: { list: 30, contracted: 15 } });
    expect(settleCall(begin, { ...seen, usage: { ...usage, statedCost: 30 } }, priced).priced).toBeUndefined();
    expect(settleCall(begin, seenStated, () => null).priced).toBeUndefined();
  });
  test('counts for a response that was cut off', () => {
    const broken = { ...seen, complete: false, stopped: 'reset' as const, usage: stated };
    expect(settleCall(begin, broken, priced).counted.usd).toBe(70_000);
  });
});

test('a requested class without a price that the usage does not list leaves the cost unknown', () => {
  const heard = { ...seen, asked: ['inputAudio' as const] };
  expect(settleCall(begin, heard, priced)).toMatchObject({
    cost: null,
    uncertainReason: 'no_usage',
    counted: begin.hold,
  });
  const rates = { input: 1_000, inputAudio: 9_000, output: 5_000 };
  const audible = { ...card, tiers: [{ above: -1, rates }] };
  expect(settleCall(begin, heard, () => audible)).toMatchObject({ cost: 30, uncertainReason: null });
});

describe('a response that runs on in the background', () => {
  const running = { ...seen, usage: null, runsOn: true, responseId: 'resp_1' } as const;

  test('has an open cost, and limits count its hold', () => {
    const open = { uncertainReason: 'background', cost: null, provenance: null, counted: begin.hold };
    expect(settleCall(begin, running, priced)).toMatchObject({ ...open, outcome: 'completed' });
    const left = { ...running, complete: false, stopped: 'client_left', outputBytes: 400 } as const;
    expect(settleCall(begin, left, priced)).toMatchObject({ ...open, outcome: 'client_left' });
  });

  test('is settled by the usage of its own stream', () => {
    expect(settleCall(begin, { ...running, usage }, priced)).toMatchObject({ uncertainReason: null, cost: 30 });
  });

  test.each([
    ['without an id', { responseId: null }, 'no_usage'],
    ['that a crash lost', { stopped: 'crash' }, 'crash'],
    ['that ended with an error', { errored: true }, 'error_event'],
  ] as const)('%s cannot be read later', (_name, more, uncertainReason) => {
    expect(settleCall(begin, { ...running, ...more }, priced)).toMatchObject({ uncertainReason });
  });
});

test('a batch whose client left before its id was read has no cost, whatever was seen of its answer', () => {
  const cut = {
    ...seen,
    usage: null,
    runsOn: true,
    responseId: null,
    stopped: 'client_left',
    complete: false,
  } as const;
  expect(settleCall({ ...begin, operation: 'batches' }, cut, priced)).toMatchObject({ cost: null, provenance: null });
  expect(settleCall(begin, cut, priced).cost).not.toBeNull();
});
