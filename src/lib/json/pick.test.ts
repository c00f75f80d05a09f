import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { capture, eachElement, JsonPick, look, measure, type PickNode } from './pick.ts';

const PLAN = look({
  a: capture(0),
  m: measure(),
  in: look({ b: capture(1), deep: eachElement(look({ c: capture(2) }, null, 3)) }),
  list: eachElement(capture(4)),
  small: capture(5, 8),
});

type Told = readonly [slot: number, value: unknown];

function pick(plan: PickNode, pieces: readonly (string | Uint8Array)[]): { told: Told[]; json: JsonPick } {
  const reported: Told[] = [];
  const json = new JsonPick(plan, (slot, value) => reported.push([slot, value]));
  for (const piece of pieces) {
    const bytes = typeof piece === 'string' ? new TextEncoder().encode(piece) : piece.slice();
    json.push(bytes);
    bytes.fill(0x58);
  }
  return { told: reported, json };
}

function bytewise(text: string): Uint8Array[] {
  return [...new TextEncoder().encode(text)].map((byte) => Uint8Array.of(byte));
}

describe('JsonPick', () => {
  test.each<[string, string, Told[]]>([
    ['a text', '{"a":"x"}', [[0, 'x']]],
    ['escapes and other alphabets', '{"a":"\\u00e4 \\"q\\" 😀\\n"}', [[0, 'ä "q" 😀\n']]],
    [
      'numbers and words',
      ' { "a" : -1.5e3 , "in" : { "b" : true } } ',
      [
        [0, -1500],
        [1, true],
      ],
    ],
    ['null', '{"a":null}', [[0, null]]],
    ['a container', '{"a":{"x":[1,{"a":"}]"}]}}', [[0, { x: [1, { a: '}]' }] }]]],
    [
      'a name written with escapes',
      '{"\\u0061":1,"i\\u006e":{"b":2}}',
      [
        [0, 1],
        [1, 2],
      ],
    ],
    [
      'elements, and the close of each',
      '{"in":{"deep":[{"c":1},{},{"c":2,"x":3}]}}',
      [
        [2, 1],
        [3, undefined],
        [3, undefined],
        [2, 2],
        [3, undefined],
      ],
    ],
    [
      'an array of values',
      '{"list":[1,"two",[3]]}',
      [
        [4, 1],
        [4, 'two'],
        [4, [3]],
      ],
    ],
    ['empty containers', '{"in":{},"list":[],"a":[]}', [[0, []]]],
    [
      'the same name twice',
      '{"a":1,"a":2}',
      [
        [0, 1],
        [0, 2],
      ],
    ],
    ['only what stands at its place', '{"x":{"a":1,"in":{"b":2}},"b":3,"in":[{"b":4}]}', []],
    ['names that only begin or end alike', '{"aa":1,"":2,"inn":{"b":3},"A":4}', []],
    ['a plan for an object that meets something else', '{"in":"b","list":{"a":1}}', []],
  ])('captures %s, torn anywhere', (_name, text, reported) => {
    for (const pieces of [[text], bytewise(text)]) {
      const read = pick(PLAN, pieces);
      expect(read.told).toEqual(reported);
      expect(read.json).toMatchObject({ complete: true, malformed: false, oversize: false });
    }
  });

  test.each([
    ['plain text', '"hello"', 5],
    ['bytes of other alphabets', '"wörld"', 6],
    ['escapes as what they mean', '"a\\n\\"b"', 4],
    ['an escaped code as three bytes', '"\\u4f60"', 3],
    ['an empty text', '""', 0],
    ['a container as it stands', '{"x": "y"}', 10],
  ])('measures %s', (_name, json, bytes) => {
    for (const pieces of [[`{"m":${json}}`], bytewise(`{"m":${json}}`)])
      expect(pick(PLAN, pieces).json.measuredBytes).toBe(bytes);
  });

  test('a value beyond its bound is left out and marked', () => {
    for (const cut of [(text: string) => [text], bytewise]) {
      expect(pick(PLAN, cut('{"small":"123456"}'))).toMatchObject({ told: [[5, '123456']], json: { oversize: false } });
      expect(pick(PLAN, cut('{"small":"1234567"}'))).toMatchObject({
        told: [],
        json: { oversize: true, complete: true },
      });
    }
  });

  test('reset allows another document, wherever the first one ended', () => {
    for (const first of ['{"a":1}', '{"a":"half', '{"in":{"b', '{"list":[1,', '}', '{"small":"123456789']) {
      const reported: Told[] = [];
      const json = new JsonPick(PLAN, (slot, value) => reported.push([slot, value]));
      json.push(new TextEncoder().encode(first));
      json.reset();
      reported.length = 0;
      json.push(new TextEncoder().encode('{"a":2,"in":{"b":3}}'));
      expect(reported).toEqual([
        [0, 2],
        [1, 3],
      ]);
      expect(json).toMatchObject({ complete: true, malformed: false });
    }
  });

  test.each(['', ' ', '{', '{"a"', '{"a":', '{"a":1', '{"a":1,', '{"in":{"b":2}', '"half', '{"x":[[[', '{"a":"\\'])(
    '%j is not complete',
    (text) => {
      expect(pick(PLAN, [text]).json).toMatchObject({ complete: false, malformed: false });
    },
  );

  test.each([
    '}',
    '<html>',
    '{a:1}',
    '{"a" 1}',
    '{"a":}',
    '{"a":"1";',
    '{"list":[1}',
    '{"in":{"b":1]}',
    '{,}',
    '{"a":x}',
  ])('%j is malformed', (text) => {
    expect(pick(PLAN, [text]).json).toMatchObject({ complete: false, malformed: true });
  });

  test('a captured value that is invalid is left out', () => {
    expect(pick(PLAN, ['{"a":01x,"in":{"b":2}}'])).toMatchObject({
      told: [[1, 2]],
      json: { complete: true, malformed: true },
    });
  });

  test('bytes after a closed document leave it complete', () => {
    expect(pick(PLAN, ['{"a":1} \n {"a":2}'])).toMatchObject({
      told: [[0, 1]],
      json: { complete: true, malformed: true },
    });
  });

  test('captures the same values as JSON.parse in any document, split at random', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.jsonValue(),
        fc.array(fc.nat(), { maxLength: 8 }),
        fc.constantFrom(undefined, 2),
        (value, other, places, space) => {
          const bytes = new TextEncoder().encode(
            JSON.stringify({ x: other, a: value, in: { y: [other], b: other } }, null, space),
          );
          const ends = [...places.map((place) => place % bytes.length), bytes.length].toSorted((one, two) => one - two);
          const pieces = ends.map((end, at) => bytes.subarray(at === 0 ? 0 : ends[at - 1], end));
          const parsed = (json: unknown): unknown => JSON.parse(JSON.stringify(json));
          expect(pick(PLAN, pieces).told).toEqual([
            [0, parsed(value)],
            [1, parsed(other)],
          ]);
        },
      ),
    );
  });

  test('values that repeat from document to document, exactly or nearly, are each captured unchanged', () => {
    const value = fc.constantFrom<unknown>(
      'a',
      'b',
      '',
      null,
      1,
      12,
      'x'.repeat(62),
      'x'.repeat(63),
      'x'.repeat(70),
      { n: 1 },
      [1],
    );
    fc.assert(
      fc.property(fc.array(value, { maxLength: 12 }), (values) => {
        const reported: unknown[] = [];
        const json = new JsonPick(PLAN, (_slot, captured) => reported.push(captured));
        for (const captured of values) {
          json.reset();
          json.push(new TextEncoder().encode(JSON.stringify({ a: captured })));
        }
        expect(reported).toEqual(values);
      }),
    );
  });

  test('deep nesting in skipped values is allowed', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    expect(pick(PLAN, [`{"x":${deep},"a":1}`]).told).toEqual([[0, 1]]);
  });
});
