import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DOUBTS, OUTCOMES } from '../core/call.ts';
import { sampleBegin, sampleEnd } from './contract/sample-calls.ts';
import { decodeBegin, decodeEntry, encodeBegin, encodeEnd, joinCalls, joinEnded, splitCalls } from './format.ts';

const text = fc.string({ unit: 'binary', maxLength: 40 });
const count = fc.nat(Number.MAX_SAFE_INTEGER);
const amounts = fc.record({ usd: fc.option(count), inputTokens: count, outputTokens: count });
const begins = fc.record({
  callId: text,
  workspaceId: text,
  keyId: text,
  provider: text,
  operation: text,
  askedModel: fc.option(text),
  stream: fc.boolean(),
  tags: fc.array(fc.tuple(text, text), { maxLength: 4 }).map((pairs) => Object.fromEntries(pairs)),
  sessionHash: fc.option(text),
  beganAt: count,
  hold: amounts,
});
const ends = fc.record({
  endedAt: count,
  outcome: fc.constantFrom(...OUTCOMES),
  doubt: fc.option(fc.constantFrom(...DOUBTS)),
  status: count,
  usage: fc.constantFrom(null, sampleEnd('x').usage),
  model: fc.option(text),
  cost: fc.option(count),
  counted: amounts,
  priceVersion: fc.option(text),
  requestId: fc.option(text),
  responseId: fc.option(text),
  firstByteMs: fc.option(count),
});

test('a call is read back as it was written, whatever characters are in it', () => {
  fc.assert(
    fc.property(begins, ends, (begin, changes) => {
      const end = sampleEnd(begin.callId, changes);
      const written = joinEnded(encodeBegin(begin), encodeEnd(end));
      const [first, second, ...rest] = splitCalls(joinCalls([written, written]));
      expect(rest).toEqual([]);
      expect(first).toBe(second);
      expect(decodeBegin(encodeBegin(begin))).toEqual(begin);
      expect(decodeEntry(written)).toEqual({ ...begin, ...end, source: 'proxy' });
    }),
  );
});

test('half a call is an error, not a call', () => {
  const begin = encodeBegin(sampleBegin('a'));
  expect(() => decodeEntry(begin)).toThrow(SyntaxError);
  expect(() => decodeEntry(joinEnded(begin, '[]'))).toThrow(SyntaxError);
  expect(() => decodeBegin('{"callId":"a"}')).toThrow(SyntaxError);
});
