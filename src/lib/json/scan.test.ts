import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ESCAPED_NAMES_MAX, JsonScan, SCAN_DEPTH_MAX } from './scan.ts';
import { NAME_BYTES_MAX, ScanError } from './scan-names.ts';
import { eachRecord, eachOrText, eachOrWord, FREE, scanPlan, type ScanSpec } from './scan-plan.ts';
import type { ScanRecord } from './scan-record.ts';

const PLAN = scanPlan(
  { model: {}, max_tokens: {}, 'genConfig|gen_config': { 'maxOut|max_out': {} } },
  { type: ['image', 'search_*'], inlineData: null },
);

interface Scanned {
  readonly found: Record<string, string>;
  readonly noted: readonly string[];
}

function scan(text: string | Uint8Array, step = 1e9): Scanned {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  const json = new JsonScan(bytes, PLAN, { receive: () => undefined });
  while (!json.step(step));
  const found: Record<string, string> = {};
  for (const { path, start, end } of json.found.values())
    found[path] = new TextDecoder().decode(bytes.subarray(start, end));
  return { found, noted: [...json.noted] };
}

function refusal(text: string | Uint8Array, step?: number): string {
  try {
    scan(text, step);
  } catch (error) {
    if (error instanceof ScanError) return error.message;
    throw error;
  }
  return 'accepted';
}

describe('JsonScan', () => {
  test.each<[string, string, Record<string, string>]>([
    ['values of every kind', '{"model":"m","max_tokens":-1.5E+3}', { model: '"m"', max_tokens: '-1.5E+3' }],
    ['space anywhere', ' \t{ "model" : "m" ,\r\n "x" : [ ] } ', { model: '"m"' }],
    [
      'nested members',
      '{"genConfig":{"maxOut":5,"x":{}}}',
      { genConfig: '{"maxOut":5,"x":{}}', 'genConfig.maxOut': '5' },
    ],
    [
      'another spelling under the first name',
      '{"gen_config":{"max_out":5}}',
      { genConfig: '{"max_out":5}', 'genConfig.maxOut': '5' },
    ],
    ['names written with escapes', '{"mod\\u0065l":1}', { model: '1' }],
    [
      'only what stands at its place',
      '{"x":{"model":1},"y":[{"model":2}],"maxOut":3,"genConfig":{"x":{"maxOut":4}}}',
      { genConfig: '{"x":{"maxOut":4}}' },
    ],
    ['a value that is no container where one was planned', '{"genConfig":null}', { genConfig: 'null' }],
    ['an empty object', '{}', {}],
  ])('finds %s', (_name, text, found) => {
    expect(scan(text).found).toEqual(found);
    expect(scan(text, 1).found).toEqual(found);
  });

  test.each<[string, string, readonly string[]]>([
    ['a word', '{"m":[{"type":"image"}]}', ['type=image']],
    ['a beginning', '{"tools":[{"type":"search_2026"}]}', ['type=search_*']],
    ['a word with escapes', '{"ty\\u0070e":"\\u0069mage"}', ['type=image']],
    ['any value', '{"x":{"inlineData":{"data":""}}}', ['inlineData']],
    ['nothing in longer or shorter words', '{"a":{"type":"images"},"b":{"type":"imag"},"c":{"type":"search"}}', []],
    [
      'nothing in other values',
      '{"type":{"image":1},"x":["type","image"],"inlineData":null,"y":{"inlineData":false}}',
      [],
    ],
  ])('notes %s', (_name, text, noted) => {
    expect(scan(text).noted).toEqual(noted);
    expect(scan(text, 1).noted).toEqual(noted);
  });

  test.each([
    ['', 'is empty'],
    ['  ', 'is cut off before its end'],
    ['{"model":"m"', 'is cut off before its end'],
    ['{"model":"m', 'is cut off before its end'],
    ['[{"model":1}]', 'must be a JSON object'],
    ['"text"', 'must be a JSON object'],
    ['null', 'must be a JSON object'],
    ['model=claude&max_tokens=1', 'must be a JSON object'],
    ['\ufeff{}', 'begins with a byte order mark; send plain UTF-8'],
    ['{} {}', 'goes on after its end, at byte 3'],
    ['{}x', 'goes on after its end, at byte 2'],
    ['{}\0', 'goes on after its end, at byte 2'],
    ['{"a":1,}', 'is not valid JSON at byte 7'],
    ['{"a":[1,]}', 'is not valid JSON at byte 8'],
    ['{"a":[1 2]}', 'is not valid JSON at byte 8'],
    ['{"a":[1}]', 'is not valid JSON at byte 7'],
    ["{'a':1}", 'is not valid JSON at byte 1'],
    ['{a:1}', 'is not valid JSON at byte 1'],
    ['{"a"1}', 'is not valid JSON at byte 4'],
    ['{"a":}', 'is not valid JSON at byte 5'],
    ['{"a":01}', 'is not valid JSON at byte 5'],
    ['{"a":1.}', 'is not valid JSON at byte 5'],
    ['{"a":.5}', 'is not valid JSON at byte 5'],
    ['{"a":+1}', 'is not valid JSON at byte 5'],
    ['{"a":1e}', 'is not valid JSON at byte 5'],
    ['{"a":-}', 'is not valid JSON at byte 5'],
    ['{"a":NaN}', 'is not valid JSON at byte 5'],
    ['{"a":True}', 'is not valid JSON at byte 5'],
    ['{"a":nul}', 'is not valid JSON at byte 5'],
    ['{"a":"\n"}', 'has a control character in a text, at byte 6'],
    ['{"a\t":1}', 'has a control character in a text, at byte 3'],
    ['{"a":"\\x41"}', 'has a broken escape in a text, at byte 6'],
    ['{"a":"\\u12g4"}', 'has a broken escape in a text, at byte 6'],
    ['{"a":1/*no*/}', 'is not valid JSON at byte 6'],
    ['{"model":"a","model":"b"}', 'has "model" twice; send it once'],
    ['{"model":"a","mod\\u0065l":"b"}', 'has "model" twice; send it once'],
    ['{"genConfig":{"maxOut":1},"gen_config":{}}', 'has "genConfig" twice; send it once'],
    ['{"genConfig":{"maxOut":1,"max_out":2}}', 'has "genConfig.maxOut" twice; send it once'],
    ['{"Model":"a"}', 'spells "model" in a way that is read differently by different readers'],
    ['{"MAX_TOKENS":1}', 'spells "max_tokens" in a way that is read differently by different readers'],
    ['{"maxTokens":1}', 'spells "max_tokens" in a way that is read differently by different readers'],
    ['{"genConfig":{"max_Out":1}}', 'spells "genConfig.maxOut" in a way that is read differently by different readers'],
    ['{"_model_":1}', 'spells "model" in a way that is read differently by different readers'],
  ])('refuses %j', (text, message) => {
    expect(refusal(text)).toBe(message);
    expect(refusal(text, 1)).toBe(message);
  });

  test('refuses bytes that are not text', () => {
    expect(refusal(Uint8Array.of(0x7b, 0x22, 0xc0, 0xae, 0x22, 0x3a, 0x31, 0x7d))).toBe('is not valid UTF-8');
    expect(refusal(new Uint8Array(Buffer.from('{"a":1}', 'utf16le')))).toBe('is not valid JSON at byte 1');
  });

  test('refuses deeper nesting than any request has', () => {
    const nested = (depth: number): string => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
    expect(refusal(nested(SCAN_DEPTH_MAX))).toBe('accepted');
    expect(refusal(nested(SCAN_DEPTH_MAX + 1))).toBe(`nests deeper than ${SCAN_DEPTH_MAX} levels`);
  });

  test('refuses names that case-insensitive readers take for the same name', () => {
    const message = 'spells "max_tokens" in a way that is read differently by different readers';
    for (const name of ['max_token\u017f', 'max_to\u212aens', 'MAX_TO\u212aEN\u017f']) {
      expect(refusal(`{"${name}":1}`), name).toBe(message);
      expect(refusal(`{"${escaped(name)}":1}`), name).toBe(message);
    }
    expect(refusal('{"max_token\u00e9":1,"\u017fmax":1}')).toBe('accepted');
  });

  test('refuses a longer name than any member has, where it looks for members', () => {
    const message = `has a name of more than ${NAME_BYTES_MAX} bytes; shorten it`;
    const longest = 'x'.repeat(NAME_BYTES_MAX);
    expect(refusal(`{"${longest}":1}`)).toBe('accepted');
    for (const name of [`${longest}x`, `${'_'.repeat(NAME_BYTES_MAX)}model`, `${longest}\\n`, '\\u005f'.repeat(9_999)])
      expect(refusal(`{"${name}":1}`), name.slice(-9)).toBe(message);
    expect(refusal(`{"x":{"${longest}x":1,"${longest}\\n":1}}`)).toBe('accepted');
  });

  test('refuses thousands of names whose plain letters are written as escapes', () => {
    const body = (name: string, count: number): string => `{"x":[${`{"${name}":1},`.repeat(count)}{}]}`;
    const message = `writes more than ${ESCAPED_NAMES_MAX} names with escapes; write them as plain text`;
    expect(refusal(body('t\\u0079pe', ESCAPED_NAMES_MAX))).toBe('accepted');
    expect(refusal(body('t\\u0079pe', ESCAPED_NAMES_MAX + 1))).toBe(message);
    expect(refusal(body('t\\u0079pe', ESCAPED_NAMES_MAX + 1), 100)).toBe(message);
    // Serializers write so what is beyond ASCII.
    expect(refusal(body('\\u4e2d\\u6587', ESCAPED_NAMES_MAX + 1))).toBe('accepted');
  });

  test('records a word by its beginning, for any length and escapes', () => {
    for (const rest of ['\\u0032', '\\u4e2d', '\\n'.repeat(5_000), 'x'.repeat(5_000)])
      expect(scan(`{"type":"se\\u0061rch_${rest}"}`).noted).toEqual(['type=search_*']);
  });

  test('accepts exactly what JSON.parse accepts', () => {
    const mangled = fc
      .tuple(fc.jsonValue(), fc.nat(), fc.constantFrom('', '"', '\\', ',', '}', ']', '0', '-', 'e', ' ', '\u0001'))
      .map(([value, place, inserted]) => {
        const text = JSON.stringify({ v: value });
        const at = place % (text.length + 1);
        return text.slice(0, at) + inserted + text.slice(at);
      });
    fc.assert(
      fc.property(mangled, fc.integer({ min: 1, max: 50 }), (text, step) => {
        let parsed = true;
        try {
          JSON.parse(text);
        } catch {
          parsed = false;
        }
        // Half a surrogate pair becomes a replacement character in UTF-8: the text scanned is a valid one.
        expect(refusal(text, step) === 'accepted').toBe(parsed);
      }),
      { numRuns: 500 },
    );
  });
});

function escaped(text: string): string {
  return Array.from(text, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
}

const PART: ScanSpec = { type: {}, 'maxUses|max_uses': {}, source: { data: {} }, input: FREE };
const RECORDS = scanPlan(
  {
    model: {},
    parts: eachRecord('part', { ...PART, parts: eachRecord('inner', PART) }),
    own: FREE,
    deep: { list: eachRecord('deep', PART) },
    texts: eachOrText('text', PART),
    words: eachOrWord('word', PART),
  },
  { type: ['image'], data: null },
);

/** Records as they close: their kind and what stands in them; `?` counts other members. */
function records(text: string, step = 1e9): { told: string[]; noted: string[] } {
  const bytes = new TextEncoder().encode(text);
  const reported: string[] = [];
  const receive = (record: ScanRecord): void => {
    const values = ['type', 'maxUses', 'source.data'].map((path) => JSON.stringify(record.value(path)) ?? '-');
    reported.push(`${record.kind} ${values.join(' ')} ?${record.strangers}`);
  };
  const json = new JsonScan(bytes, RECORDS, { receive });
  while (!json.step(step));
  return { told: reported, noted: [...json.noted] };
}

const asObject = (members: readonly (readonly [string, string])[]): string =>
  `{${members.map(([name, value]) => `"${name}":${value}`).join()}}`;

describe('records', () => {
  test.each<[string, string, string[], string[]]>([
    ['of a list', '{"parts":[{"type":"a"},{"max_uses":2,"x":1,"y":[]}]}', ['part "a" - - ?0', 'part - 2 - ?2'], []],
    ['of none', '{"parts":[]}', [], []],
    ['of an object in place of a list', '{"parts":{"type":"a"}}', ['part "a" - - ?0'], []],
    ['without texts among them', '{"texts":["a",1,null,{"type":"a"}]}', ['text "a" - - ?0'], []],
    ['without a text in their place', '{"texts":"a","words":"a","parts":null}', [], []],
    ['with what stands deeper', '{"parts":[{"source":{"data":"x","y":1}}]}', ['part - - "x" ?0'], []],
    [
      'in records, inner ones first',
      '{"parts":[{"type":"a","parts":[{"type":"b"},{"type":"c"}],"maxUses":1}]}',
      ['inner "b" - - ?0', 'inner "c" - - ?0', 'part "a" 1 - ?0'],
      [],
    ],
    ['below other members', '{"deep":{"list":[{"type":"a"}]}}', ['deep "a" - - ?0'], []],
    ['whose names are not noted', '{"parts":[{"type":"image","source":{"data":""}}]}', ['part "image" - "" ?0'], []],
    [
      'beside what is noted',
      '{"parts":[{"x":{"type":"image"}}],"y":{"data":1}}',
      ['part - - - ?1'],
      ['type=image', 'data'],
    ],
    [
      'beside what is free',
      '{"own":[{"type":"image","data":1}],"parts":[{"input":{"x":{"data":1}}}]}',
      ['part - - - ?0'],
      [],
    ],
    ['with names in escapes', '{"p\\u0061rts":[{"t\\u0079pe":"a"}]}', ['part "a" - - ?0'], []],
  ])('are told: %s', (_name, text, reported, noted) => {
    expect(records(text)).toEqual({ told: reported, noted });
    expect(records(text, 1)).toEqual({ told: reported, noted });
  });

  test.each([
    ['{"parts":[{"type":"a","type":"b"}]}', 'has "type" twice; send it once'],
    ['{"parts":[{"maxUses":1,"max_uses":1}]}', 'has "maxUses" twice; send it once'],
    ['{"parts":[{"source":{"data":1,"data":2}}]}', 'has "source.data" twice; send it once'],
    ['{"parts":[{"source":{"data":1},"source":{}}]}', 'has "source" twice; send it once'],
    ['{"parts":[{"parts":[{"type":"a","type":"b"}]}]}', 'has "type" twice; send it once'],
    ['{"parts":[{"parts":[],"type":"a","typ\\u0065":"b"}]}', 'has "type" twice; send it once'],
    ['{"parts":[{"MaxUses":1}]}', 'spells "maxUses" in a way that is read differently by different readers'],
    ['{"parts":[],"parts":[]}', 'has "parts" twice; send it once'],
    ['{"parts":[{},"a"]}', 'needs a list of objects in "parts"'],
    ['{"parts":[null]}', 'needs a list of objects in "parts"'],
    ['{"parts":[[{}]]}', 'needs a list of objects in "parts"'],
    ['{"parts":"a"}', 'needs a list of objects in "parts"'],
    ['{"parts":[{"parts":1}]}', 'needs a list of objects in "parts"'],
    ['{"parts":[{"source":[{"data":1}]}]}', 'needs an object in "source", not a list'],
    ['{"words":[{},"a"]}', 'needs a list of objects in "words"'],
    ['{"texts":["a",[{}]]}', 'needs a list of objects in "texts"'],
    ['{"deep":[{"list":[]}]}', 'needs an object in "deep", not a list'],
  ])('are refused in %j', (text, message) => {
    expect(() => records(text)).toThrow(message);
    // What broke off leaves nothing behind for the next document.
    expect(records('{"parts":[{}]}').told).toEqual(['part - - - ?0']);
  });

  test('are the same for any step size, and so are refusals', () => {
    const name = fc
      .constantFrom(
        'model',
        'parts',
        'type',
        'maxUses',
        'max_uses',
        'MaxUses',
        '__type',
        'source',
        'data',
        'own',
        'é',
        '\u017fource',
      )
      .chain((text) =>
        fc.constantFrom(text, escaped(text), `${escaped(text.slice(0, 1))}${text.slice(1)}`, `_${text}`),
      );
    const text = fc.constantFrom('"image"', '"\\u0069mage"', '"a\\n"', '1', 'null', '"中"', '');
    const { value } = fc.letrec<{ value: string }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        text,
        fc.array(fc.tuple(name, tie('value')), { maxLength: 4 }).map(asObject),
        fc.array(tie('value'), { maxLength: 3 }).map((list) => `[${list.join()}]`),
      ),
    }));
    const document = fc.array(fc.tuple(name, value), { maxLength: 5 }).map(asObject);
    const outcome = (from: string, step: number): unknown => {
      try {
        return records(from, step);
      } catch (error) {
        if (error instanceof ScanError) return [error.message, error.path];
        throw error;
      }
    };
    fc.assert(
      fc.property(document, fc.integer({ min: 1, max: 3_000 }), (from, step) => {
        expect(outcome(from, step)).toEqual(outcome(from, 1e9));
      }),
      { numRuns: 1_000 },
    );
  });

  test('of two documents at once are separate', () => {
    const reported: string[] = [];
    const open = (name: string): JsonScan =>
      new JsonScan(new TextEncoder().encode(`{"parts":[{"type":"${name}"},{"type":"${name}"}]}`), RECORDS, {
        receive: (record) => void reported.push(`${name}${record.text('type')}`),
      });
    const [a, b] = [open('a'), open('b')];
    let [doneA, doneB] = [false, false];
    while (!doneA || !doneB) {
      doneA ||= a.step(3);
      doneB ||= b.step(1);
    }
    expect(reported.toSorted()).toEqual(['aa', 'aa', 'bb', 'bb']);
  });
});

/** Steps that it takes to scan a list of so many parts. */
function stepsOf(part: string, count: number, step: number): number {
  const json = new JsonScan(new TextEncoder().encode(`{"texts":[${part.repeat(count)}""]}`), RECORDS, {
    receive: () => undefined,
  });
  let steps = 1;
  while (!json.step(step)) steps++;
  return steps;
}

test.each([
  ['ordinary parts', '{"type":"text"},', 600],
  ['empty records', '{},', 350],
  ['brackets', '{"x":[[[]]]},', 600],
  ['names of underscores', '{"_":1,"__":2},', 600],
  ['names with escapes', '{"t\\u0079pe":""},', 900],
  ['noted values with escapes', '{"x":{"type":"t\\u0065xt"}},', 1_150],
  ['texts of escapes', '"\\n\\n\\n\\n\\n\\n\\n\\n",', 600],
])('a step ends after fewer bytes in %s than in plain text', (_name, part, work) => {
  const [count, step] = [5_000, 8_192];
  expect(stepsOf(`"${'a'.repeat(step)}",`, 100, step)).toBeLessThan(110);
  expect(stepsOf(part, count, step)).toBeGreaterThan((count * work) / step);
});
