import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RowWalk } from './row-walk.ts';
import { usageRowOf } from './rows.ts';

const AT = '2026-09-10T10:00:00.000Z';
const USAGE = { input_tokens: 3, output_tokens: 310 };
const ROW = {
  cwd: '/w/p',
  message: { model: 'claude-opus-5', id: 'msg_1', role: 'assistant', content: [], stop_reason: null, usage: USAGE },
  requestId: 'req_1',
  type: 'assistant',
  timestamp: AT,
};

function walked(text: string, wantsFolder = true) {
  const bytes = Buffer.from(`{"before":1}\n${text}\n{"after":1}`);
  const start = bytes.indexOf('\n') + 1;
  return new RowWalk().read(bytes, start, start + Buffer.byteLength(text), wantsFolder);
}

const odd = fc.constantFrom<unknown[]>(
  null,
  '',
  'x',
  'ø',
  'a"b',
  '],"stop_reason":',
  0,
  -1,
  1.5,
  2e15,
  true,
  [],
  [[1]],
  {},
);
function mostly(arbitrary: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 20, arbitrary }, { weight: 1, arbitrary: odd });
}

const count = fc.oneof({ weight: 60, arbitrary: fc.nat() }, { weight: 1, arbitrary: odd });
const text = fc.oneof(
  { weight: 60, arbitrary: fc.constantFrom('assistant', 'a', 'Standard', AT) },
  { weight: 1, arbitrary: odd },
);

/** Some of the members, in any order. */
function some(members: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Record<string, unknown>> {
  const entries = Object.entries(members).map(([name, value]) => value.map((one): [string, unknown] => [name, one]));
  const each = fc
    .tuple(...entries)
    .chain((all) => fc.shuffledSubarray(all, { minLength: Math.max(0, all.length - 2) }));
  return each.map((list) => Object.fromEntries(list));
}

const counts = {
  input_tokens: count,
  output_tokens: count,
  cache_read_input_tokens: count,
  cache_creation_input_tokens: count,
  cache_creation: mostly(some({ ephemeral_5m_input_tokens: count, ephemeral_1h_input_tokens: count })),
};
const passes = fc.array(some({ ...counts, type: fc.constantFrom('message', 'message', 'message', 'compaction') }), {
  maxLength: 1,
});
const usage = some({
  ...counts,
  service_tier: text,
  output_tokens_details: mostly(some({ thinking_tokens: count })),
  server_tool_use: mostly(
    some({ web_search_requests: fc.constantFrom(0, 0, 0, 1), web_fetch_requests: fc.constant(0) }),
  ),
  iterations: mostly(passes),
});
const said = fc.oneof(
  odd,
  fc.constant([
    { type: 'text', text: ']' },
    { list: [1], stop_reason: 2, usage: USAGE },
  ]),
);
const message = some({
  id: text,
  model: text,
  role: text,
  content: said,
  stop_reason: text,
  usage: mostly(usage),
});
const row = some({
  type: fc.constant('assistant'),
  timestamp: text,
  requestId: text,
  sessionId: text,
  cwd: text,
  isSidechain: mostly(fc.boolean()),
  message: fc.oneof({ weight: 9, arbitrary: message }, { weight: 1, arbitrary: odd }),
  toolUseResult: said,
});

describe('a row that is walked through', () => {
  it('is what a parser makes of it, or left to a parser', () => {
    fc.assert(
      fc.property(row, (value) => {
        const line = JSON.stringify(value);
        const found = walked(line);
        if (found !== undefined) expect(found).toEqual(usageRowOf(JSON.parse(line)));
      }),
      { numRuns: 3_000 },
    );
  });

  it('is read so as Claude Code writes it', () => {
    expect(walked(JSON.stringify(ROW))).toEqual(usageRowOf(ROW));
    expect(walked(`${JSON.stringify(ROW)}\r`)).toEqual(usageRowOf(ROW));
    expect(walked(JSON.stringify({ ...ROW, cwd: '/w/prøject' }), false)).toEqual(usageRowOf({ ...ROW, cwd: null }));
  });

  it('tells of no usage where it is of another type or role, whatever follows', () => {
    expect(walked('{"parentUuid":null,"type":"user","message":{"role":"user","content":"torn')).toBeNull();
    expect(walked('{"parentUuid":null,"message":{"role":"user","content":"torn')).toBeNull();
  });

  it.each([
    ['torn', JSON.stringify(ROW).slice(0, -1)],
    ['longer than one object', `${JSON.stringify(ROW)}}`],
    ['with blanks', JSON.stringify(ROW).replace('"requestId":', '"requestId": ')],
    ['with a blank before a word', `${JSON.stringify(ROW).slice(0, -1)},"isSidechain": true}`],
    ['a repetition', JSON.stringify({ ...ROW, type: 'progress', data: {} })],
    ['a copy', JSON.stringify({ ...ROW, forkedFrom: {} })],
  ])('is left to a parser when it is %s', (_, line) => {
    expect(walked(line)).toBeUndefined();
  });
});
