import fc from 'fast-check';
import { expect, it } from 'vitest';
import { COUNT_FIELDS } from './counters.ts';
import { RolloutReader } from './reader.ts';
import { RolloutRowWalk } from './row-walk.ts';

const AT = '2026-09-10T10:00:00.000Z';
const odd = fc.constantFrom<unknown[]>(null, 'x', -1, 1.5, 2e15, true, [], {});
const count = fc.oneof({ weight: 20, arbitrary: fc.nat() }, { weight: 1, arbitrary: odd });
const counts = fc.record(Object.fromEntries(COUNT_FIELDS.map((name) => [name, count])), { requiredKeys: [] });
const usage = fc.oneof({ weight: 9, arbitrary: counts }, { weight: 1, arbitrary: odd });
const name = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom('gpt-5.5', 'o3', '', null) },
  { weight: 1, arbitrary: odd },
);
const holder = fc.oneof(
  { weight: 5, arbitrary: fc.record({ model: name, user: odd }, { requiredKeys: [] }) },
  { weight: 1, arbitrary: odd },
);
const models = { model: name, model_name: name, metadata: holder };
const limits = fc.record({ limit_id: name, primary: odd }, { requiredKeys: [] });
const counter = fc.record({
  timestamp: fc.constant(AT),
  ordinal: count,
  type: fc.constant('event_msg'),
  payload: fc.record({
    type: fc.constantFrom('token_count', 'token_count', 'agent_message'),
    info: fc.oneof(
      fc.record({ total_token_usage: usage, last_token_usage: usage, ...models }, { requiredKeys: [] }),
      odd,
    ),
    rate_limits: fc.oneof(limits, odd),
    ...models,
  }),
});

function factsOf(lines: readonly string[]): unknown {
  const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
  const reader = new RolloutReader(null);
  reader.block(bytes, 0, bytes.length);
  return reader.facts();
}

it('the walk reads the same counter as the parser', () => {
  fc.assert(
    fc.property(fc.array(counter, { maxLength: 4 }), (rows) => {
      const compact = rows.map((row) => JSON.stringify(row));
      const spread = rows.map((row) => JSON.stringify(row, null, 1).replaceAll('\n', ' '));
      expect(factsOf(compact)).toEqual(factsOf(spread));
    }),
    { numRuns: 1_000 },
  );
});

it.each([
  ['{"timestamp":"x","type":"response_item","payload":{', false],
  ['{"timestamp":"x","ordinal":1,"type":"event_msg","payload":{"type":"agent_message",', false],
  ['{"timestamp":"x","ordinal":1,"type":"event_msg","payload":{"type":"token_count",', true],
  ['{"timestamp":"x","type":"turn_context","payload":{', true],
  ['{"timestamp":"x","type":"event_msg","payload":{"info":{},"type":"token_count"', null],
  ['{"timestamp": "x"', null],
])('the begin of a row says whether it is looked at: %s', (begin, expected) => {
  expect(new RolloutRowWalk().isOfInterest(Buffer.from(begin), 0, begin.length)).toBe(expected);
});
