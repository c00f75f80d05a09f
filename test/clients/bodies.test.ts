import { expect, test } from 'vitest';
import { readBody } from '../../src/providers/contract/read-body.ts';
import bodies from './bodies.json' with { type: 'json' };

// What clients sent with many of their options in use, one body a line. All that they said is cut to `x`.

test.each(bodies)('a limit can hold what $client sends to $address', ({ address, body }) => {
  expect(readBody(address, body).demand.work).toMatchObject({ unbounded: null });
});

test.each(bodies)('a field more than $client sends to $address is seen', ({ address, body }) => {
  const { work } = readBody(address, { ...body, sub_agents: 9 }).demand;
  expect(work).toMatchObject({ unbounded: 'sub_agents, a field that is not known' });
});

test.each([{}, { external_web_access: false }])('a search of Codex without a maximum is no bounded work: %o', (how) => {
  const body = { model: 'gpt-5.1-codex', stream: true, input: 'x', tools: [{ type: 'web_search', ...how }] };
  const { work } = readBody('openai/v1/responses', body).demand;
  expect(work).toMatchObject({ unbounded: 'tools[].web_search without max_tool_calls' });
});
