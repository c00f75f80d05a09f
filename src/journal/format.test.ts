import { NO_CONTEXT } from '../domain/usage/call-context.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { UNCERTAIN_REASONS, CALL_OUTCOMES } from '../domain/usage/call.ts';
import { isRefused } from '../domain/usage/refused-call.ts';
import { LIMIT_UNITS } from '../domain/limits/limit.ts';
import type { CostProvenance } from '../domain/pricing/provenance.ts';
import { TOKEN_CLASSES, USE_CLASSES } from '../domain/usage/usage.ts';
import { sampleBegin, sampleEnd, sampleRefused, sampleUsage } from './contract/sample-calls.ts';
import { addEnded, addOpened, decodeBegin, decodeEnded, decodeOpened, decodeUsage } from './format.ts';
import { addRefused, encodeBegin, encodeEnd, encodeRefused, encodeUsage } from './format.ts';

const text = fc.string({ unit: 'binary', maxLength: 40 });
const count = fc.nat(Number.MAX_SAFE_INTEGER);
const amounts = fc.record({ usd: fc.option(count), inputTokens: count, outputTokens: count });
const counts = (classes: readonly string[]) =>
  fc.dictionary(fc.constantFrom(...classes), count, { noNullPrototype: true, maxKeys: 4 });
const usages = fc.record({
  inferences: fc.array(
    fc.record({ model: fc.option(text), tokens: counts(TOKEN_CLASSES), promptTokens: fc.option(count) }),
    { maxLength: 3 },
  ),
  uses: counts(USE_CLASSES),
  thinking: count,
  terms: fc.record({ tier: fc.option(text), speed: fc.option(text), geo: fc.option(text) }),
});
const versions = fc.array(fc.stringMatching(/^[a-z]+\/[^\s]{1,20}#[0-9a-f]{8}$/), { minLength: 1, maxLength: 3 });
const provenances: fc.Arbitrary<CostProvenance> = fc.oneof(
  fc.record({ from: fc.constant('price'), versions }),
  fc.record({ from: fc.constant('report'), versions: fc.oneof(versions, fc.constant([])) }),
  fc.constantFrom({ from: 'person' } as const, { from: 'provider' } as const, { from: 'subscription' } as const),
);
const touches = fc.array(
  fc.record({ counter: count, unit: fc.constantFrom(...LIMIT_UNITS), windowStart: count, value: text }),
  { maxLength: 3 },
);
const openBegins = fc.record({
  callId: text,
  workspaceId: text,
  keyId: text,
  provider: text,
  operation: text,
  requestedModel: fc.option(text),
  stream: fc.boolean(),
  tags: fc.array(fc.tuple(text, text), { maxLength: 4 }).map((pairs) => Object.fromEntries(pairs)),
  sessionHash: fc.option(text),
  shortenedTo: fc.option(fc.record({ outputTokens: fc.option(count), toolUses: fc.option(count) })),
  context: fc.oneof(
    fc.constant(NO_CONTEXT),
    fc.record(
      {
        session: fc.option(text),
        agent: fc.option(text),
        parentAgent: fc.option(text),
        run: fc.option(text),
        requestClass: fc.option(text),
        olderAgents: fc.array(text, { maxLength: 2 }),
        parentSpan: text,
      },
      { requiredKeys: ['session', 'agent', 'parentAgent', 'run', 'requestClass'] },
    ),
  ),
  startedAt: count,
  hold: amounts,
  touched: touches,
});
const openWorks = fc.record({
  headers: fc.dictionary(fc.constantFrom('project'), text),
  batch: fc.record({ requests: count, largest: amounts }),
});
const begins = fc.oneof(
  openBegins,
  fc.tuple(openBegins, openWorks).map(([begin, openWork]) => Object.assign({ openWork }, begin)),
  openBegins.map((begin) => Object.assign({ isSubscription: true as const }, begin)),
);
const ends = fc.record({
  endedAt: count,
  outcome: fc.constantFrom(...CALL_OUTCOMES),
  uncertainReason: fc.option(fc.constantFrom(...UNCERTAIN_REASONS)),
  status: count,
  usage: fc.option(usages),
  model: fc.option(text),
  cost: fc.option(count),
  counted: amounts,
  provenance: fc.option(provenances),
  requestId: fc.option(text),
  responseId: fc.option(text),
  firstByteMs: fc.option(count),
  adopted: touches,
});
const pricedEnds = ends.chain((end) =>
  fc.record({ list: count, contracted: count }).map((priced) => Object.assign({ priced }, end)),
);
const failedEnds = fc
  .tuple(fc.oneof(ends, pricedEnds), text)
  .map(([end, errorType]) => Object.assign({ errorType }, end));

test('calls are read back as they were written, with any characters', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(begins, fc.oneof(ends, pricedEnds, failedEnds)), { maxLength: 3 }), (calls) => {
      const whole = calls.map(([begin, changes]) => ({ begin, end: sampleEnd(begin.callId, changes) }));
      const add = (before: string, { begin, end }: (typeof whole)[number]): string =>
        addEnded(before, encodeBegin(begin), encodeEnd(end));
      const entries = whole.map(({ begin, end: { adopted = [], ...end } }) => ({
        ...begin,
        ...end,
        touched: [...begin.touched, ...adopted],
        source: 'proxy',
      }));
      expect(decodeEnded(whole.reduce(add, ''))).toEqual(entries);
    }),
  );
});

test('open calls are read back with their notes, as they were written', () => {
  fc.assert(
    fc.property(begins, begins, usages, (first, second, usage) => {
      const opened = addOpened(addOpened('', encodeBegin(first), null), encodeBegin(second), encodeUsage(usage));
      expect(decodeOpened(opened)).toEqual([
        { callId: first.callId, begin: encodeBegin(first), note: null },
        { callId: second.callId, begin: encodeBegin(second), note: encodeUsage(usage) },
      ]);
      expect(decodeBegin(encodeBegin(first))).toEqual(first);
      expect(decodeUsage(encodeUsage(usage))).toEqual(usage);
    }),
  );
});

test('an incomplete call is an error', () => {
  const begin = encodeBegin(sampleBegin('a'));
  expect(() => decodeEnded(begin)).toThrow(SyntaxError);
  expect(() => decodeEnded(addEnded('', begin, '[]'))).toThrow(SyntaxError);
  expect(() => decodeEnded(`${begin},${encodeUsage(sampleUsage)}`)).toThrow(SyntaxError);
  expect(() => decodeOpened('{"callId":"a"},null')).toThrow(SyntaxError);
  expect(() => decodeOpened(begin)).toThrow(SyntaxError);
  expect(() => decodeBegin('{"callId":"a"}')).toThrow(SyntaxError);
  expect(() => decodeUsage('[]')).toThrow(SyntaxError);
});

/** Rows of the first form, byte for byte: files that hold them are read for as long as the version of the format stays. */
const FIRST_BEGIN =
  '["call_a","ws_1","key_1","anthropic","messages","m",1,{"team":"x"},null,1700000000000,5,6,7,[3,1,1699999999000,""]]';
const CONTEXT_BEGIN = `${FIRST_BEGIN.slice(0, -1)},["s",null,null,"r",null]]`;
const FIRST_USAGE = '[40,"standard",null,"us",{"webSearch":1},[null,{"input":5},5,"inner",{"output":2},null]]';
const FIRST_END = `[1700000001000,"completed",null,200,"reported",${FIRST_USAGE},"m",9,9,6,7,"tollbook/m#1",null,"msg_1",412,[]]`;

test.each([
  ['as they were first written', FIRST_BEGIN, (row: string) => row],
  [
    'with a field that was appended later',
    CONTEXT_BEGIN,
    (row: string) => `${row.slice(0, -1)},null,{"added":"later"}]`,
  ],
])('rows are read %s', (_how, begin, change) => {
  const usage = {
    inferences: [
      { model: null, tokens: { input: 5 }, promptTokens: 5 },
      { model: 'inner', tokens: { output: 2 }, promptTokens: null },
    ],
    uses: { webSearch: 1 },
    thinking: 40,
    terms: { tier: 'standard', speed: null, geo: 'us' },
  };
  expect(decodeUsage(change(FIRST_USAGE))).toEqual(usage);
  const [entry] = decodeEnded(`${change(begin)},${change(FIRST_END.replace(FIRST_USAGE, change(FIRST_USAGE)))}`);
  expect(entry).toMatchObject({
    callId: 'call_a',
    context: begin === FIRST_BEGIN ? NO_CONTEXT : { ...NO_CONTEXT, session: 's', run: 'r' },
    touched: [{ counter: 3, unit: LIMIT_UNITS[1], windowStart: 1_699_999_999_000, value: '' }],
    usage,
    cost: 9,
    provenance: { from: 'price', versions: ['tollbook/m#1'] },
    firstByteMs: 412,
  });
});

test('rows are written in that form', () => {
  const begin = decodeBegin(FIRST_BEGIN);
  expect(encodeBegin(begin)).toBe(FIRST_BEGIN);
  expect(encodeUsage(decodeUsage(FIRST_USAGE))).toBe(FIRST_USAGE);
  const [entry] = decodeEnded(addEnded('', FIRST_BEGIN, FIRST_END));
  expect(entry && !isRefused(entry) && encodeEnd(entry)).toBe(FIRST_END);
});

test('refused calls are read back among ended ones, in order', () => {
  const refused = sampleRefused('call_b', { context: { ...NO_CONTEXT, session: 's', agent: 'a' } });
  const sum = sampleRefused('call_c', { isSum: true, calls: 12, model: null, needed: null, left: null });
  const ended = addEnded('', FIRST_BEGIN, FIRST_END);
  const turn = addEnded(
    addRefused(addRefused(ended, encodeRefused(refused)), encodeRefused(sum)),
    FIRST_BEGIN,
    FIRST_END,
  );
  const calls = decodeEnded(turn);
  expect(calls.map((call) => isRefused(call))).toEqual([false, true, true, false]);
  expect(calls.slice(1, 3)).toEqual([refused, sum]);
});
