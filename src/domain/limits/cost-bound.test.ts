import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type RequestDemand, NO_DEMAND, NO_MEDIA, NO_WORK } from './demand.ts';
import { boundCall, type HoldTerms, type ModelBounds } from './cost-bound.ts';
import { NANO_MAX } from '../money/money.ts';
import type { RateCard, TokenRates } from '../pricing/price.ts';
import { priceUsage } from '../pricing/pricing.ts';
import {
  type Inference,
  inputTokens,
  NO_TERMS,
  outputTokens,
  type ServiceTerms,
  type TokenClass,
  type TokenCounts,
  totalTokens,
  USE_CLASSES,
  type UseCounts,
} from '../usage/usage.ts';

const CARD: RateCard = {
  provider: 'acme',
  model: 'one',
  from: null,
  until: null,
  tiers: [{ above: -1, rates: { input: 1_000, cacheRead: 100, output: 5_000 } }],
  speeds: {},
  tierMultipliers: {},
  geoMultipliers: {},
  fees: {},
  contextWindow: 10_000,
  version: 'acme/one#1',
  source: 'test',
};
/** Writes that must be asked for. */
const NAMED = { input: 1_000, cacheRead: 100, cacheWrite5m: 1_250, cacheWrite1h: 2_000, output: 5_000 };
/** Writes that just happen. */
const AUTOMATIC = { input: 1_000, cacheRead: 100, cacheWrite: 1_250, output: 5_000 };
const UNKNOWN: HoldTerms = { geo: null, tier: null };
const TEN = { num: 11, den: 10 };
const TWICE = { num: 2, den: 1 };

const demand = (more: Partial<RequestDemand> = {}): RequestDemand => ({
  ...NO_DEMAND,
  textBytes: 100,
  outputMax: 10,
  ...more,
});
const model = (more: Partial<RateCard> = {}, outputMax: number | null = null): ModelBounds => ({
  cards: [{ ...CARD, ...more }],
  outputMax,
});
const priced = (rates: TokenRates): ModelBounds => model({ tiers: [{ above: -1, rates }] });
const usd = (of: RequestDemand, models: readonly ModelBounds[], terms = UNKNOWN): number | null =>
  boundCall(of, models, terms).hold.usd;

describe('a context window that limits only the prompt', () => {
  const speaking = { ...model({ contextWindow: 8_192 }), outputOutsideWindow: 65_536 };

  it('leaves a response without a maximum to the provider’s own maximum', () => {
    const open = demand({ outputMax: null });
    expect(boundCall(open, [speaking], UNKNOWN)).toMatchObject({ hold: { outputTokens: 65_536 }, forwardMax: null });
    const work = { passes: 1, loopPasses: 0, loopSearches: 0, uses: {}, unbounded: null };
    expect(boundCall(demand({ work }), [speaking], UNKNOWN).hold.outputTokens).toBe(10 + 65_536);
    const larger = { ...speaking, ...model({ contextWindow: 100_000 }) };
    expect(boundCall(open, [larger], UNKNOWN).hold.outputTokens).toBe(100_000);
  });

  it('is not used if the model’s maximum is known, and that is forwarded', () => {
    const bounds = boundCall(demand({ outputMax: null }), [{ ...speaking, outputMax: 4_096 }], UNKNOWN);
    expect(bounds).toMatchObject({ hold: { outputTokens: 4_096 }, forwardMax: 4_096 });
  });
});

describe('a request that accepts no output maximum', () => {
  it('holds a full response for each pass of a tool loop', () => {
    const work = { passes: 0, loopPasses: 5, loopSearches: 0, uses: {}, unbounded: null };
    const models = [model({}, 1_000)];
    const added = boundCall(demand({ outputMax: null, work }), models, UNKNOWN);
    expect(added).toMatchObject({ hold: { outputTokens: 1_000 }, forwardMax: 1_000 });
    const fixed = boundCall(demand({ outputMax: null, outputMaxFixed: true, work }), models, UNKNOWN);
    expect(fixed).toMatchObject({ hold: { outputTokens: 6 * 1_000 }, forwardMax: null });
  });
});

describe('tokens of a hold', () => {
  it.each<[string, Partial<RequestDemand>, number, number]>([
    ['the bytes and the declared maximum', {}, 100, 10],
    ['words around the prompt, and pictures', { preambleTokens: 5, mediaTokens: 30 }, 135, 10],
    ['the window for a longer body', { textBytes: 20_000 }, 10_000, 10],
    ['all bytes of a list of prompts, of which each has a window', { textBytes: 20_000, listedWindows: 0 }, 20_000, 10],
    [
      'the bytes and a window for each prompt of a list that is not in the body',
      { textBytes: 20_000, beyondBody: true, listedWindows: 3 },
      50_000,
      10,
    ],
    ['the window for what is not in the body', { beyondBody: true }, 10_000, 10],
    ['the model’s maximum without a declared one', { outputMax: null }, 100, 4_000],
    ['the model’s maximum for a larger one', { outputMax: 1e15 }, 100, 4_000],
    ['nothing for an answer without text', { outputMax: 0 }, 100, 0],
    ['every answer', { answers: 3 }, 100, 30],
    ['every model that may run it again', { reruns: 2, answers: 2 }, 300, 60],
    [
      'a window and a maximum for each pass',
      { work: { passes: 2, loopPasses: 0, loopSearches: 0, uses: {}, unbounded: null } },
      20_100,
      8_010,
    ],
    ['the window for a maximum that the thinking budget lifts', { outputMax: 10, liftsMaxUpTo: 10 }, 100, 10_000],
    ['the maximum above the thinking budget', { outputMax: 10, liftsMaxUpTo: 9 }, 100, 10],
    [
      'the window for a model’s maximum that the thinking budget lifts',
      { outputMax: 9_000, liftsMaxUpTo: 5_000 },
      100,
      10_000,
    ],
    ['nothing for an answer without text, whatever is lifted', { outputMax: 0, liftsMaxUpTo: 0 }, 100, 0],
    ['no more than a call can use', { answers: Number.MAX_SAFE_INTEGER }, 100, 1e12],
  ])('are %s', (_name, more, input, output) => {
    expect(boundCall(demand(more), [model({}, 4_000)], UNKNOWN).hold).toMatchObject({
      inputTokens: input,
      outputTokens: output,
    });
  });

  it('are the context window if nothing is known of the model', () => {
    const nothing = { cards: [], outputMax: null };
    expect(boundCall(demand({ outputMax: null, beyondBody: true }), [nothing], UNKNOWN).hold).toEqual({
      usd: null,
      inputTokens: 2_000_000,
      outputTokens: 2_000_000,
    });
  });

  it('are at most those of the provider’s largest model if the card has no context window', () => {
    const of = { ...model({ contextWindow: null }), windowMax: 256_000 };
    expect(boundCall(demand({ outputMax: null, beyondBody: true }), [of], UNKNOWN).hold).toMatchObject({
      inputTokens: 256_000,
      outputTokens: 256_000,
    });
    expect(boundCall(demand({ beyondBody: true }), [{ ...of, ...model() }], UNKNOWN).hold.inputTokens).toBe(10_000);
  });

  it('follow the provider’s count and a shortened maximum', () => {
    const { hold, outputMax } = boundCall(demand(), [model()], UNKNOWN, { inputTokens: 7, outputMax: 3 });
    expect([hold.inputTokens, hold.outputTokens, outputMax]).toEqual([7, 3, 3]);
  });

  it('without a prompt are those of the response and of further passes', () => {
    const work = { passes: 1, loopPasses: 0, loopSearches: 0, uses: {}, unbounded: null };
    const none = { inputTokens: 0 };
    expect(boundCall(demand(), [model()], UNKNOWN, none).hold).toEqual({ usd: 50, inputTokens: 0, outputTokens: 10 });
    expect(boundCall(demand({ work }), [model({}, 4_000)], UNKNOWN, none).hold).toMatchObject({
      inputTokens: 10_000,
      outputTokens: 4_010,
    });
  });

  it('use the largest context window and maximum of the models that may answer', () => {
    const work = { passes: 1, loopPasses: 0, loopSearches: 0, uses: {}, unbounded: null };
    const models = [model({}, 100), model({ contextWindow: 50_000 }, 900)];
    expect(boundCall(demand({ work }), models, UNKNOWN).hold).toMatchObject({ inputTokens: 50_100, outputTokens: 910 });
  });
});

describe('the forwarded service tier', () => {
  it.each<[string, Partial<RequestDemand>, number | null, number | null]>([
    ['a declared maximum', { outputMax: 10 }, 4_000, 10],
    ['the model’s, for a larger one', { outputMax: 5_000 }, 4_000, 4_000],
    ['the model’s, for none', { outputMax: null }, 4_000, 4_000],
    ['none that might not fit behind the prompt', { outputMax: null, textBytes: 6_001 }, 4_000, null],
    ['none where the window alone bounds', { outputMax: null }, null, null],
    ['none that the thinking budget lifts', { outputMax: 9_000, liftsMaxUpTo: 5_000 }, 4_000, null],
    ['a declared one that might not fit', { outputMax: 4_000, textBytes: 9_000 }, 4_000, 4_000],
  ])('is %s', (_name, more, modelMax, forwarded) => {
    expect(boundCall(demand(more), [model({}, modelMax)], UNKNOWN).forwardMax).toBe(forwarded);
  });

  it('is the default tier if the account’s tier is unknown', () => {
    expect(boundCall(demand({ pinTier: 'default' }), [model()], UNKNOWN).tier).toBe('default');
    expect(boundCall(demand({ pinTier: 'default' }), [model()], { geo: null, tier: 'flex' }).tier).toBeNull();
    expect(boundCall(demand(), [model()], UNKNOWN).tier).toBeNull();
  });
});

describe('the price of a hold', () => {
  it('is rounded up, once', () => {
    expect(usd(demand({ textBytes: 1, outputMax: 0 }), [priced({ input: 1, output: 1 })])).toBe(1);
    expect(usd(demand({ textBytes: 1, outputMax: 1 }), [priced({ input: 400, output: 400 })])).toBe(1);
    expect(usd(demand({ textBytes: 1_000, outputMax: 0 }), [priced({ input: 1, output: 1 })])).toBe(1);
    expect(usd(demand({ textBytes: 1_001, outputMax: 0 }), [priced({ input: 1, output: 1 })])).toBe(2);
  });

  it.each<[string, RequestDemand['cacheWrites'], TokenRates, number | null]>([
    ['none that must be asked for', 'none', NAMED, 150],
    ['those that just happen', 'none', AUTOMATIC, 175],
    ['five minutes', '5m', NAMED, 175],
    ['an hour', '1h', NAMED, 250],
    ['an hour without a price', '1h', AUTOMATIC, null],
    ['an hour on a model that prices no writes', '1h', { input: 1_000, output: 5_000 }, 150],
    ['twelve hours without a price', '12h', AUTOMATIC, null],
    ['twelve hours', '12h', { ...AUTOMATIC, cacheWrite12h: 3_000 }, 350],
  ])('holds cache writes: %s', (_name, cacheWrites, rates, total) => {
    expect(usd(demand({ cacheWrites }), [priced(rates)])).toBe(total);
  });

  it('includes audio and images only if the call may have them', () => {
    const rates = { ...NAMED, inputAudio: 9_000, inputImage: 3_000, outputAudio: 20_000, outputImage: 30_000 };
    const held = (media: Partial<typeof NO_MEDIA>) =>
      usd(demand({ media: { ...NO_MEDIA, ...media } }), [priced(rates)]);
    expect(held({})).toBe(150);
    expect(held({ imageIn: true })).toBe(350);
    expect(held({ audioIn: true, imageIn: true })).toBe(950);
    expect(held({ audioOut: true })).toBe(300);
    expect(held({ imageOut: true, audioOut: true })).toBe(400);
  });

  it.each<[string, Partial<RequestDemand>, TokenRates]>([
    ['an answer that is spoken', { asked: ['outputAudio'] }, NAMED],
    ['an answer that is drawn', { asked: ['outputImage'] }, { ...NAMED, outputAudio: 1 }],
    ['sound that is heard', { asked: ['inputAudio'] }, { ...NAMED, outputAudio: 1 }],
    ['an answer at all', {}, { input: 1_000 }],
    ['a prompt at all', {}, { output: 5_000 }],
  ])('is unknown where the price names none for %s', (_name, more, rates) => {
    expect(
      usd(demand({ media: { ...NO_MEDIA, audioIn: true, audioOut: true, imageOut: true }, ...more }), [priced(rates)]),
    ).toBeNull();
  });

  it('is unknown if a requested length or speed has no price', () => {
    const asked = demand({ asked: ['outputImage'], media: { ...NO_MEDIA, imageOut: true }, speed: 'fast' });
    const drawn = { ...NAMED, outputImage: 30_000 };
    const tiers = [{ above: -1, rates: drawn }];
    expect(usd(asked, [model({ tiers, speeds: { fast: drawn } })])).toBe(400);
    expect(usd(asked, [model({ tiers, speeds: { fast: NAMED } })])).toBeNull();
    expect(usd(asked, [model({ tiers: [...tiers, { above: 50, rates: NAMED }], speeds: { fast: drawn } })])).toBeNull();
    expect(usd(asked, [priced(drawn), priced(NAMED)])).toBeNull();
  });

  it('for a prompt alone needs no output price', () => {
    expect(usd(demand({ outputMax: 0 }), [priced({ input: 1_000 })])).toBe(100);
  });

  it('is that of the most expensive class', () => {
    const spoken = demand({ media: { ...NO_MEDIA, audioIn: true } });
    expect(usd(demand(), [priced({ input: 1_000, cacheRead: 3_000, output: 5_000 })])).toBe(350);
    expect(usd(spoken, [priced({ input: 1_000, cacheReadAudio: 4_000, output: 5_000 })])).toBe(450);
  });

  it('for a model that only speaks is the price of speech', () => {
    expect(usd(demand(), [priced({ input: 1_000, outputAudio: 20_000 })])).toBe(300);
  });

  it('uses a longer tier only for a prompt that exceeds the step', () => {
    const tiers = [
      { above: -1, rates: { input: 1_000, output: 5_000 } },
      { above: 100, rates: { input: 2_000, output: 7_000 } },
    ];
    const work = { passes: 1, loopPasses: 0, loopSearches: 0, uses: {}, unbounded: null };
    expect(usd(demand({ textBytes: 100 }), [model({ tiers })])).toBe(150);
    expect(usd(demand({ textBytes: 101 }), [model({ tiers })])).toBe(202 + 70);
    expect(usd(demand({ textBytes: 0, work }), [model({ tiers }, 10)])).toBe(20_000 + 140);
    expect(boundCall(demand({ textBytes: 101 }), [model({ tiers })], UNKNOWN, { inputTokens: 0 }).hold.usd).toBe(50);
  });

  it.each<[string, Partial<RequestDemand>, HoldTerms, number | null]>([
    ['an unsaid tier that the account may decide', {}, UNKNOWN, 300],
    ['an unsaid tier that is pinned', { pinTier: 'default' }, UNKNOWN, 150],
    ['the account’s tier', { pinTier: 'default' }, { geo: null, tier: 'priority' }, 300],
    ['a key’s tier of the operator’s own words as the dearest', {}, { geo: null, tier: 'gold' }, 300],
    ['a dearer tier', { tier: 'priority' }, UNKNOWN, 300],
    ['a discount that is not sure', { tier: 'flex' }, UNKNOWN, 150],
    ['a plain tier', { tier: 'standard' }, UNKNOWN, 150],
    ['a tier without a price', { tier: 'ultrafast' }, UNKNOWN, null],
    ['a tier that every object has', { tier: 'constructor' }, UNKNOWN, null],
  ])('holds %s', (_name, more, terms, total) => {
    const tierMultipliers = { priority: TWICE, flex: { num: 1, den: 2 } };
    expect(usd(demand(more), [model({ tierMultipliers })], terms)).toBe(total);
  });

  it.each<[string, Partial<RequestDemand>, HoldTerms, number | null]>([
    ['an unknown geography as the dearest', {}, UNKNOWN, 165],
    ['the key’s', {}, { geo: 'global', tier: null }, 150],
    ['a key’s of the operator’s own words as the dearest', {}, { geo: 'basement', tier: null }, 165],
    ['the request’s before the key’s', { geo: 'us' }, { geo: 'global', tier: null }, 165],
    ['one without a price', { geo: 'moon' }, UNKNOWN, null],
  ])('holds %s', (_name, more, terms, total) => {
    expect(usd(demand(more), [model({ geoMultipliers: { us: TEN } })], terms)).toBe(total);
  });

  it('uses the requested speed, or the default one if that is more expensive', () => {
    const speeds = { fast: { input: 3_000, output: 15_000 }, slow: { input: 1, output: 1 } };
    expect(usd(demand({ speed: 'fast' }), [model({ speeds })])).toBe(450);
    expect(usd(demand({ speed: 'slow' }), [model({ speeds })])).toBe(150);
    expect(usd(demand({ speed: 'warp' }), [model({ speeds })])).toBeNull();
  });

  it('includes the fees of uses, and is unknown if one has no fee', () => {
    const uses = (names: UseCounts): RequestDemand =>
      demand({ work: { passes: 0, loopPasses: 0, loopSearches: 0, uses: names, unbounded: null } });
    expect(usd(uses({ webSearch: 3 }), [model({ fees: { webSearch: 10_000 } })])).toBe(180);
    expect(usd(uses({ webSearch: 3, fileSearch: 1 }), [model({ fees: { webSearch: 10_000 } })])).toBeNull();
  });

  it('includes the fee of each run of a model that charges per call, with or without a bound', () => {
    const searching = model({ fees: { request: 25_000_000 } });
    expect(usd(demand(), [searching])).toBe(150 + 25_000);
    expect(usd(demand({ reruns: 1 }), [model(), searching])).toBe(2 * 150 + 2 * 25_000);
    expect(usd(demand({ work: { ...NO_WORK, unbounded: 'tools[].shell' } }), [searching])).toBe(150 + 25_000);
  });

  it('is that of the most expensive model, and of the higher price around a price change', () => {
    const cheap = model();
    const dearInput = priced({ input: 2_000, output: 1_000 });
    expect(usd(demand(), [cheap, dearInput])).toBe(250);
    expect(usd(demand(), [{ cards: [...cheap.cards, ...dearInput.cards], outputMax: null }])).toBe(250);
    expect(usd(demand(), [cheap, { cards: [], outputMax: null }])).toBeNull();
  });

  it('is 0 for a free model, and never more than an amount can store', () => {
    expect(usd(demand(), [priced({ input: 0, output: 0 })])).toBe(0);
    expect(usd(demand({ answers: 1e12 }), [priced({ input: 0, output: 5_000_000_000 })])).toBe(NANO_MAX);
  });

  describe('the price of a response whose kind the request leaves open', () => {
    const open = demand({ media: { ...NO_MEDIA, audioOut: true, imageOut: true } });
    const named = (name: string, rates: TokenRates, more: Partial<RateCard> = {}): ModelBounds =>
      model({ model: name, tiers: [{ above: -1, rates }], ...more });
    const text = { input: 1_000, output: 5_000 };

    it.each([
      'acme/two-image-preview',
      'two-image',
      'image-2',
      'nano-banana',
      'two-audio',
      'two-preview-tts',
      'voice-1',
    ])('is unknown for the name %s if no price covers it', (name) => {
      expect(usd(open, [named(name, text)])).toBeNull();
      expect(usd(open, [model(), named(name, text)])).toBeNull();
      expect(usd(demand(), [named(name, text)])).toBe(150);
      expect(usd(open, [named(name, text, { source: 'user' })])).toBe(150);
    });

    it('is that of the most expensive kind that has a price', () => {
      expect(usd(open, [named('two-image', { ...text, outputImage: 60_000 })])).toBe(700);
      expect(usd(open, [named('two-audio', { ...text, outputAudio: 40_000 })])).toBe(500);
    });

    it.each(['imagine-text', 'audiolm', 'gpt-4o', 'two-vision'])('is that of text for the name %s', (name) => {
      expect(usd(open, [named(name, text)])).toBe(150);
    });
  });

  it('leaves out unbounded work and says so', () => {
    const bounds = boundCall(demand({ work: { ...NO_WORK, unbounded: 'tools[].shell' } }), [model()], UNKNOWN);
    expect(bounds).toMatchObject({ unbounded: 'tools[].shell', hold: { usd: 150 } });
  });

  it('includes bounded passes and uses next to unbounded work', () => {
    const work = { passes: 2, loopPasses: 5, loopSearches: null, uses: { webSearch: 30 }, unbounded: null };
    const models = [model({ fees: { webSearch: 10_000 } })];
    const { hold } = boundCall(demand({ work }), models, UNKNOWN);
    const open = boundCall(demand({ work: { ...work, unbounded: 'tools[].shell' } }), models, UNKNOWN);
    expect(open).toMatchObject({ unbounded: 'tools[].shell', hold });
  });
});

/** What a provider may do within a demand, told apart from the code under test. */
interface Run {
  readonly models: readonly ModelBounds[];
  readonly demand: RequestDemand;
  readonly terms: HoldTerms;
  readonly served: ServiceTerms;
  /** Fractions that choose among what is possible. */
  readonly dice: readonly number[];
  readonly uses: UseCounts;
}

const WINDOW = 3_000;
const rate = fc.integer({ min: 0, max: 90_000 });
const ratesOf = (classes: readonly TokenClass[]): fc.Arbitrary<TokenRates> =>
  fc.record(Object.fromEntries(classes.map((name) => [name, rate])));
const BASE: readonly TokenClass[] = ['input', 'cacheRead', 'output', 'inputAudio', 'cacheReadAudio', 'inputImage'];
const OUT: readonly TokenClass[] = ['outputAudio', 'outputImage'];
const WRITES: readonly (readonly TokenClass[])[] = [
  ['cacheWrite5m', 'cacheWrite1h', 'cacheWrite'],
  ['cacheWrite', 'cacheWrite12h'],
];
const multiplier = fc.record({ num: fc.integer({ min: 1, max: 30 }), den: fc.integer({ min: 1, max: 10 }) });

const anyCard = fc.constantFrom(...WRITES).chain((writes) => {
  const rates = ratesOf([...BASE, ...OUT, ...writes]);
  return fc.record({
    base: rates,
    longer: rates,
    fast: rates,
    priority: multiplier,
    flex: multiplier,
    us: multiplier,
    named: fc.constant(writes.includes('cacheWrite5m')),
  });
});

const anyRun: fc.Arbitrary<Run> = fc
  .record({
    cards: fc.array(anyCard, { minLength: 1, maxLength: 3 }),
    outputMax: fc.option(fc.integer({ min: 0, max: 2_000 })),
    modelMax: fc.option(fc.integer({ min: 1, max: 1_000 })),
    textBytes: fc.integer({ min: 0, max: 4_000 }),
    beyondBody: fc.boolean(),
    answers: fc.integer({ min: 1, max: 3 }),
    reruns: fc.integer({ min: 0, max: 2 }),
    passes: fc.integer({ min: 0, max: 2 }),
    searches: fc.integer({ min: 0, max: 3 }),
    writes: fc.constantFrom<RequestDemand['cacheWrites'][]>('none', '5m', '1h'),
    media: fc.record({ audioIn: fc.boolean(), imageIn: fc.boolean(), audioOut: fc.boolean(), imageOut: fc.boolean() }),
    speed: fc.constantFrom(null, 'standard', 'fast'),
    tier: fc.constantFrom(null, 'standard', 'priority', 'flex'),
    pinTier: fc.constantFrom(null, 'default'),
    keyTier: fc.constantFrom(null, 'priority'),
    geo: fc.constantFrom(null, 'us', 'global'),
    keyGeo: fc.constantFrom(null, 'us', 'global'),
    granted: fc.boolean(),
    dice: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 60, maxLength: 60 }),
  })
  .map((made) => {
    const named = made.cards.every((card) => card.named);
    const models = made.cards.map(({ base, longer, fast, priority, flex, us }, index) => ({
      cards: [
        {
          ...CARD,
          model: `m${index}`,
          tiers: [
            { above: -1, rates: base },
            { above: 1_000, rates: longer },
          ],
          speeds: { fast },
          tierMultipliers: { priority, flex },
          geoMultipliers: { us },
          fees: { webSearch: 7_777 },
          contextWindow: WINDOW,
        },
      ],
      outputMax: made.modelMax,
    }));
    const demanded: RequestDemand = {
      ...NO_DEMAND,
      textBytes: made.textBytes,
      beyondBody: made.beyondBody,
      outputMax: made.outputMax,
      answers: made.answers,
      reruns: made.reruns,
      work: {
        passes: made.passes,
        loopPasses: 0,
        loopSearches: 0,
        uses: { webSearch: made.searches },
        unbounded: null,
      },
      cacheWrites: named ? made.writes : 'none',
      media: made.media,
      speed: made.speed,
      tier: made.tier,
      pinTier: made.pinTier,
      geo: made.geo,
      otherModels: models.slice(1).map((_, index) => `m${index + 1}`),
    };
    return {
      models,
      demand: demanded,
      terms: { geo: made.keyGeo, tier: made.keyTier },
      served: servedTerms(demanded, made.keyTier, made.keyGeo, made.granted),
      dice: made.dice,
      uses: { webSearch: made.searches },
    };
  });

/** A tier or speed may be granted or not; what nobody named is the provider's choice. */
function servedTerms(of: RequestDemand, keyTier: string | null, keyGeo: string | null, granted: boolean): ServiceTerms {
  if (!granted) return { ...NO_TERMS, geo: of.geo ?? keyGeo ?? 'global' };
  return {
    tier: of.tier ?? keyTier ?? of.pinTier ?? 'priority',
    speed: of.speed,
    geo: of.geo ?? keyGeo ?? 'us',
  };
}

function inferencesOf({ models, demand: of, dice }: Run): Inference[] {
  let next = 0;
  const roll = (most: number): number => {
    const die = dice[next++ % dice.length] ?? 0;
    // The edges are what breaks bounds.
    return die > 0.6 ? most : Math.floor((die / 0.6) * (most + 1));
  };
  // All of one class, or some of each.
  const split = (total: number, classes: readonly TokenClass[]): TokenCounts => {
    const only = classes[roll(classes.length) % classes.length] ?? 'input';
    if (roll(1) === 1) return { [only]: total };
    const counts: TokenCounts = {};
    let left = total;
    for (const name of classes) left -= counts[name] = roll(left);
    counts[only] = (counts[only] ?? 0) + left;
    return counts;
  };
  const named = models.every(({ cards }) => cards[0]?.tiers[0]?.rates.cacheWrite5m !== undefined);
  const automatic = models.every(({ cards }) => cards[0]?.tiers[0]?.rates.cacheWrite5m === undefined);
  const inputs: TokenClass[] = ['input', 'cacheRead'];
  if (of.media.audioIn) inputs.push('inputAudio', 'cacheReadAudio');
  if (of.media.imageIn) inputs.push('inputImage');
  if (automatic) inputs.push('cacheWrite');
  if (named && of.cacheWrites !== 'none') inputs.push('cacheWrite5m');
  if (named && of.cacheWrites === '1h') inputs.push('cacheWrite1h');
  const outputs: TokenClass[] = ['output'];
  if (of.media.audioOut) outputs.push('outputAudio');
  if (of.media.imageOut) outputs.push('outputImage');
  const pass = (promptMax: number, outputMax: number): Inference => {
    const promptTokens = roll(promptMax);
    const tokens = { ...split(promptTokens, inputs), ...split(roll(outputMax), outputs) };
    return { model: `m${roll(models.length - 1)}`, tokens, promptTokens };
  };
  const prompt = of.beyondBody ? WINDOW : Math.min(of.textBytes, WINDOW);
  const modelMax = models[0]?.outputMax ?? WINDOW;
  const answer = Math.min(of.outputMax ?? modelMax, modelMax) * of.answers;
  const runs = Array.from({ length: 1 + of.reruns }, () => pass(prompt, answer));
  const { passes } = of.work;
  return [...runs, ...Array.from({ length: passes }, () => pass(WINDOW, modelMax))];
}

describe('for any behavior of a provider within a demand', () => {
  it('uses no more tokens and costs no more than is held', () => {
    fc.assert(
      fc.property(anyRun, (run) => {
        const { hold } = boundCall(run.demand, run.models, run.terms);
        const usage = { inferences: inferencesOf(run), uses: run.uses, thinking: 0, terms: run.served };
        const tokens = totalTokens(usage);
        expect(inputTokens(tokens)).toBeLessThanOrEqual(hold.inputTokens);
        expect(outputTokens(tokens)).toBeLessThanOrEqual(hold.outputTokens);
        const { cost, missing } = priceUsage(
          usage,
          'm0',
          (name) => run.models[Number(name.slice(1))]?.cards[0] ?? null,
        );
        expect(missing).toBeNull();
        expect(cost).toBeLessThanOrEqual(hold.usd ?? -1);
      }),
      { numRuns: 3_000 },
    );
  });
});

describe('an image in the response', () => {
  const drawn = demand({ outputMax: 1, pictureTokens: 1_290, media: { ...NO_MEDIA, imageOut: true } });
  const drawing = priced({ input: 1_000, output: 5_000, outputImage: 30_000 });

  it('is held in full, whatever the maximum', () => {
    expect(boundCall(drawn, [drawing], UNKNOWN).hold.outputTokens).toBe(1_291);
    expect(boundCall({ ...drawn, answers: 2 }, [drawing], UNKNOWN)).toMatchObject({
      hold: { outputTokens: 2_582 },
      forwardMax: 1,
    });
    expect(boundCall(drawn, [{ ...drawing, outputMax: 500 }], UNKNOWN).hold.outputTokens).toBe(500);
  });

  it('is not held if the model has no price for images or none is requested', () => {
    expect(boundCall(drawn, [model()], UNKNOWN).hold.outputTokens).toBe(1);
    expect(boundCall({ ...drawn, media: NO_MEDIA }, [drawing], UNKNOWN).hold.outputTokens).toBe(1);
  });
});

it('includes every kind of use', () => {
  const uses = Object.fromEntries(USE_CLASSES.map((name) => [name, 1]));
  const fees = Object.fromEntries(USE_CLASSES.map((name) => [name, 1_000]));
  expect(
    usd(demand({ work: { passes: 0, loopPasses: 0, loopSearches: 0, uses, unbounded: null } }), [model({ fees })]),
  ).toBe(150 + USE_CLASSES.length);
});

it('holds thinking that no maximum limits with each response and run', () => {
  const thinking = demand({ outputMax: 10, thoughtTokens: 1_000 });
  expect(boundCall(thinking, [model()], UNKNOWN)).toMatchObject({ hold: { outputTokens: 1_010 }, forwardMax: 10 });
  expect(boundCall({ ...thinking, answers: 2, reruns: 1 }, [model()], UNKNOWN).hold.outputTokens).toBe(4_040);
  expect(boundCall(thinking, [model()], UNKNOWN, { outputMax: 5 }).hold.outputTokens).toBe(1_005);
});
