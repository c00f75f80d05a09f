import fc from 'fast-check';

const AT = '2026-09-10T10:00:00.000Z';
const USAGE = { input_tokens: 3, output_tokens: 310 };

/** Values that Claude Code rarely or never writes. */
export const oddValue = fc.constantFrom<unknown[]>(
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
  return fc.oneof({ weight: 20, arbitrary }, { weight: 1, arbitrary: oddValue });
}

const count = fc.oneof({ weight: 60, arbitrary: fc.nat() }, { weight: 1, arbitrary: oddValue });
const text = fc.oneof(
  { weight: 60, arbitrary: fc.constantFrom('assistant', 'a', 'Standard', AT) },
  { weight: 1, arbitrary: oddValue },
);

/** Returns most of the members in any order. */
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
  oddValue,
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
/** A row of Claude Code with its members in any order. */
export const anyRow = some({
  type: fc.constant('assistant'),
  timestamp: text,
  requestId: text,
  sessionId: text,
  cwd: text,
  isSidechain: mostly(fc.boolean()),
  isApiErrorMessage: mostly(fc.constantFrom(false, false, false, true)),
  requestSessionId: mostly(fc.constant(null)),
  forkedFrom: mostly(fc.constant(null)),
  message: fc.oneof({ weight: 9, arbitrary: message }, { weight: 1, arbitrary: oddValue }),
  toolUseResult: said,
});
