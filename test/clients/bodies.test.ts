import { expect, test } from 'vitest';
import { readBody } from '../../src/providers/contract/read-body.ts';
import bodies from './bodies.json' with { type: 'json' };

// What clients sent with many of their options in use, one body a line. All that they said is cut to `x`.

test.each(bodies)('a limit can hold what $client sends to $address', ({ address, body }) => {
  expect(readBody(address, body).demand.work).toMatchObject({ unbounded: null });
});

test.each(bodies)('an additional field that $client sends to $address is detected', ({ address, body }) => {
  const { work } = readBody(address, { ...body, sub_agents: 9 }).demand;
  expect(work).toMatchObject({ unbounded: 'sub_agents, an unknown field' });
});

test.each<[string, object, string]>([
  ['anthropic/v1/messages', { thinking: { type: 'adaptive', passes: 9 } }, 'thinking.passes'],
  ['anthropic/v1/messages', { output_config: { sub_agents: true } }, 'output_config.sub_agents'],
  ['anthropic/v1/messages', { tool_choice: { type: 'auto', retries: 9 } }, 'tool_choice.retries'],
  ['anthropic/v1/messages', { tools: [{ name: 'a', swarm: {} }] }, 'tools[].swarm'],
  ['openai/v1/responses', { reasoning: { drafts: 8 } }, 'reasoning.drafts'],
  ['openai/v1/responses', { text: { format: { type: 'text', retries: 9 } } }, 'text.format.retries'],
  ['openai/v1/responses', { tools: [{ type: 'function', swarm: {} }] }, 'tools[].swarm'],
  ['openai/v1/chat/completions', { stream_options: { passes: 2 } }, 'stream_options.passes'],
  ['openrouter/chat/completions', { provider: { compare: ['a', 'b'] } }, 'provider.compare'],
  ['google/v1beta/models/gemini-2.5-pro:generateContent', { toolConfig: { rounds: 9 } }, 'toolConfig.rounds'],
])('a member more in a setting for %s is seen: %o', (address, fields, name) => {
  const { work } = readBody(address, { model: 'a', ...fields }).demand;
  expect(work).toMatchObject({ unbounded: `${name}, an unknown field` });
});

test.each([{}, { external_web_access: false }])('a search of Codex without a maximum is unbounded: %o', (how) => {
  const body = { model: 'gpt-5.1-codex', stream: true, input: 'x', tools: [{ type: 'web_search', ...how }] };
  const { work } = readBody('openai/v1/responses', body).demand;
  expect(work).toMatchObject({ unbounded: 'tools[].web_search without max_tool_calls' });
});
