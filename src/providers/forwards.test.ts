import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readBody, spliced } from './contract/read-body.ts';
import type { ForwardTerms } from './provider.ts';

const ANTHROPIC = 'anthropic/v1/messages';
const BARE = 'google';
const GOOGLE = 'google/v1/models/gemini-3.8-flash:generateContent';
const CHAT = 'openai/chat/completions';
const RESPONSES = 'openai/responses';

const to = (outputMax: number | null, tier: string | null = null): ForwardTerms => ({ outputMax, tier, models: null });

/** The body as it goes upstream. */
function sent(address: string, body: string, terms: ForwardTerms): unknown {
  return JSON.parse(spliced(body, readBody(address, body).forward(terms)));
}

describe('a maximum and a tier', () => {
  test.each<[string, string, string, ForwardTerms, unknown]>([
    ['replaces a maximum', ANTHROPIC, '{"model":"a","max_tokens":9}', to(5), { model: 'a', max_tokens: 5 }],
    ['goes where none is', ANTHROPIC, ' { "model" : "a" } ', to(5), { model: 'a', max_tokens: 5 }],
    ['leaves a smaller one', ANTHROPIC, '{"model":"a","max_tokens":3}', to(5), { model: 'a', max_tokens: 3 }],
    ['leaves an answer of nothing', ANTHROPIC, '{"model":"a","max_tokens":0}', to(5), { model: 'a', max_tokens: 0 }],
    ['replaces what is no number', ANTHROPIC, '{"max_tokens":null,"model":"a"}', to(5), { model: 'a', max_tokens: 5 }],
    [
      'bounds every model that may answer',
      ANTHROPIC,
      '{"model":"a","max_tokens":9,"fallbacks":[{"model":"b","max_tokens":8},{"model":"c"},{"model":"d","max_tokens":4}]}',
      to(5),
      {
        model: 'a',
        max_tokens: 5,
        fallbacks: [{ model: 'b', max_tokens: 5 }, { model: 'c' }, { model: 'd', max_tokens: 4 }],
      },
    ],
    [
      'sets a tier',
      ANTHROPIC,
      '{"model":"a"}',
      to(null, 'standard_only'),
      { model: 'a', service_tier: 'standard_only' },
    ],
    ['sets both', ANTHROPIC, '{"model":"a"}', to(5, 'x'), { model: 'a', max_tokens: 5, service_tier: 'x' }],
    ['leaves the rest', ANTHROPIC, '{"model":"a","max_tokens":9}', to(null), { model: 'a', max_tokens: 9 }],

    [
      'replaces a maximum of nothing',
      GOOGLE,
      '{"generationConfig":{"maxOutputTokens":0}}',
      to(5),
      { generationConfig: { maxOutputTokens: 5 } },
    ],
    ['makes a configuration', GOOGLE, '{}', to(5), { generationConfig: { maxOutputTokens: 5 } }],
    ['fills an empty one', GOOGLE, '{"generationConfig":{}}', to(5), { generationConfig: { maxOutputTokens: 5 } }],
    [
      'joins one',
      GOOGLE,
      '{"generation_config":{"temperature":1}}',
      to(5),
      { generation_config: { temperature: 1, maxOutputTokens: 5 } },
    ],
    [
      'replaces one that is none',
      GOOGLE,
      '{"generationConfig":null}',
      to(5),
      { generationConfig: { maxOutputTokens: 5 } },
    ],
    [
      'keeps the spelling',
      GOOGLE,
      '{"generation_config":{"max_output_tokens":"9"}}',
      to(5),
      { generation_config: { max_output_tokens: 5 } },
    ],
    [
      'leaves a number that is written as text',
      GOOGLE,
      '{"generationConfig":{"maxOutputTokens":"5"}}',
      to(5),
      { generationConfig: { maxOutputTokens: '5' } },
    ],
    [
      'takes the model’s place',
      BARE,
      '{"model":"g"}',
      to(5, 'flex'),
      { generationConfig: { maxOutputTokens: 5 }, serviceTier: 'flex' },
    ],
    [
      'takes the model’s place between others',
      BARE,
      '{"contents":[],"model":"g","tools":[]}',
      to(5),
      { contents: [], generationConfig: { maxOutputTokens: 5 }, tools: [] },
    ],
    [
      'cuts the model beside what is there',
      BARE,
      '{"model":"g","generationConfig":{}}',
      to(5),
      { generationConfig: { maxOutputTokens: 5 } },
    ],

    [
      'is new in a chat',
      CHAT,
      '{"model":"a"}',
      to(5, 'default'),
      { model: 'a', max_completion_tokens: 5, service_tier: 'default' },
    ],
    [
      'is the older one where that is there',
      CHAT,
      '{"model":"a","max_tokens":9}',
      to(5),
      { model: 'a', max_tokens: 5 },
    ],
    [
      'bounds both where both are there',
      CHAT,
      '{"model":"a","max_tokens":9,"max_completion_tokens":8}',
      to(5),
      { model: 'a', max_tokens: 5, max_completion_tokens: 5 },
    ],
    ['is the older one elsewhere', 'vllm/chat/completions', '{"model":"a"}', to(5), { model: 'a', max_tokens: 5 }],
    [
      'is believed elsewhere',
      'vllm/chat/completions',
      '{"model":"a","max_completion_tokens":9}',
      to(5),
      { model: 'a', max_completion_tokens: 5 },
    ],
    [
      'is the one that is read, too',
      'mistral/chat/completions',
      '{"model":"a","max_completion_tokens":9}',
      to(5),
      { model: 'a', max_tokens: 5, max_completion_tokens: 5 },
    ],
    [
      'stands beside the usage that is asked for',
      CHAT,
      '{"model":"a","stream":true}',
      to(5),
      { model: 'a', stream: true, max_completion_tokens: 5, stream_options: { include_usage: true } },
    ],
    [
      'replaces a tier',
      CHAT,
      '{"model":"a","service_tier":"auto"}',
      to(null, 'default'),
      { model: 'a', service_tier: 'default' },
    ],
    ['is new in a response', RESPONSES, '{"model":"a"}', to(5), { model: 'a', max_output_tokens: 5 }],
    ['is never put into embeddings', 'openai/embeddings', '{"model":"a"}', to(5, 'default'), { model: 'a' }],
  ])('%s (%s)', (_name, address, body, terms, result) => {
    expect(sent(address, body, terms)).toEqual(result);
  });

  test('with the same values change nothing', () => {
    const body = '{"model":"a","max_tokens":5,"service_tier":"x"}';
    expect(readBody(ANTHROPIC, body).forward(to(5, 'x'))).toEqual([]);
    expect(readBody(ANTHROPIC, body).forward(to(null))).toEqual([]);
  });

  test('keep nothing of the body in memory', () => {
    const { splices, forward } = readBody(CHAT, '{"model":"a","stream":true}');
    expect(forward(to(null))).toEqual(splices);
    expect(forward(to(7))).toEqual(forward(to(7)));
  });
});

/** Bodies with everything that can be changed, in any order, with any space between. */
const anyBody = fc
  .record({
    address: fc.constantFrom(ANTHROPIC, BARE, GOOGLE, CHAT, RESPONSES, 'mistral/chat/completions'),
    members: fc.uniqueArray(
      fc.oneof(
        fc.tuple(
          fc.constantFrom('max_tokens', 'max_completion_tokens', 'max_output_tokens'),
          fc.oneof(fc.nat(9_999), fc.constantFrom(null, '7', -1, 1.5, true)),
        ),
        fc.tuple(
          fc.constant('generationConfig'),
          fc.oneof(
            fc.constant(null),
            fc.record({ maxOutputTokens: fc.nat(9_999), topK: fc.nat(9) }, { requiredKeys: [] }),
          ),
        ),
        fc.tuple(fc.constant('stream'), fc.boolean()),
        fc.tuple(
          fc.constant('stream_options'),
          fc.oneof(fc.constant(null), fc.record({ include_usage: fc.boolean() }, { requiredKeys: [] })),
        ),
        fc.tuple(fc.constant('service_tier'), fc.constantFrom('auto', 'default', null)),
        fc.tuple(
          fc.string().map((name) => `x-${name}`),
          fc.jsonValue(),
        ),
      ),
      { selector: ([name]) => name, maxLength: 7 },
    ),
    place: fc.nat(7),
    space: fc.constantFrom('', ' ', '\n\t'),
    outputMax: fc.option(fc.integer({ min: 1, max: 9_999 })),
    tier: fc.constantFrom(null, 'default', 'wi"th'),
  })
  .map(({ address, members, place, space, outputMax, tier }) => {
    const all: [string, unknown][] = members.map(([name, value]) => [name, value]);
    all.splice(place, 0, ['model', 'g']);
    const text = all.map(
      ([name, value]) => `${space}${JSON.stringify(name)}${space}:${space}${JSON.stringify(value)}${space}`,
    );
    return { address, body: `${space}{${text.join(',')}}${space}`, terms: to(outputMax, tier) };
  });

const CHANGED = new Set([
  'model',
  'max_tokens',
  'max_completion_tokens',
  'max_output_tokens',
  'generationConfig',
  'service_tier',
  'serviceTier',
  'stream_options',
]);

function others(body: unknown): [string, unknown][] {
  return Object.entries(body ?? {}).filter(([name]) => !CHANGED.has(name));
}

test('the forwarded body differs only in the new maximum, and is read with it', () => {
  fc.assert(
    fc.property(anyBody, ({ address, body, terms }) => {
      const facts = readBody(address, body);
      const text = spliced(body, facts.forward(terms));
      const result: unknown = JSON.parse(text);
      expect(others(result)).toEqual(others(JSON.parse(body)));
      const again = readBody(address === BARE ? GOOGLE : address, text);
      const asked = facts.demand.outputMax;
      const forwarded = terms.outputMax ?? asked;
      expect(again.demand.outputMax).toBe(
        asked === null || forwarded === null ? forwarded : Math.min(forwarded, asked),
      );
      // Read once more, nothing is left to do.
      expect(again.forward(terms)).toEqual([]);
      const { textBytes: _before, outputMax: _max, tier: _tier, pinTier: _pin, ...rest } = facts.demand;
      if (address !== BARE) expect(again.demand).toMatchObject(rest);
    }),
    { numRuns: 1_000 },
  );
});

describe('the free counter', () => {
  const counted = (address: string, body: unknown): unknown => {
    const text = JSON.stringify(body);
    const { counter } = readBody(address, text);
    return (
      counter && {
        path: counter.upstreamPath,
        body: JSON.parse(Buffer.from(counter.requestOf(Buffer.from(text))).toString()),
      }
    );
  };
  const read = (address: string, body: unknown, answer: string): number | null | undefined =>
    readBody(address, body).counter?.read(Buffer.from(answer));
  const messages = { model: 'claude-opus-5', messages: [{ role: 'user', content: 'Hi' }] };

  test('of Anthropic gets the prompt and nothing that it would refuse', () => {
    const prompt = { ...messages, system: 'a', tools: [{ name: 'b' }], thinking: { type: 'adaptive' } };
    expect(
      counted(ANTHROPIC, { max_tokens: 5, stream: true, metadata: {}, ...prompt, temperature: 1, future: 2 }),
    ).toEqual({
      path: '/v1/messages/count_tokens',
      body: prompt,
    });
    expect(counted(ANTHROPIC, { ...messages, thread: { type: 'continue', previous_message_id: 'msg_1' } })).toBeNull();
    expect(counted(ANTHROPIC, { ...messages, container: 'container_1' })).toBeNull();
    // Another model counts the same prompt otherwise.
    expect(counted(ANTHROPIC, { ...messages, fallbacks: [{ model: 'claude-opus-4-5' }] })).toBeNull();
  });

  test('of Anthropic is an estimate', () => {
    expect(read(ANTHROPIC, messages, '{"input_tokens":100}')).toBe(100 + 2 + 1_024);
    expect(read(ANTHROPIC, messages, '{"input_tokens":101}')).toBe(101 + 3 + 1_024);
  });

  test('adds each byte of members that the provider does not count', () => {
    const instructions = 'x'.repeat(10_000);
    const compaction = { type: 'summarize', instructions };
    expect(read(ANTHROPIC, { ...messages, compaction }, '{"input_tokens":10}')).toBeGreaterThan(10_000);
    expect(counted(RESPONSES, { model: 'a', input: 'b', image: { context_compression: 'disabled' } })).toBeNull();
  });

  test('of Google gets the whole request', () => {
    const request = { contents: [], systemInstruction: {}, tools: [], generationConfig: { candidateCount: 2 } };
    expect(counted('google', { model: 'models/g', ...request, safetySettings: [] })).toEqual({
      path: '/v1beta/models/g:countTokens',
      body: { generateContentRequest: { model: 'models/g', ...request } },
    });
    expect(counted('google', { model: 'models/g', ...request, continuationToken: 'AAAA' })).toBeNull();
    expect(read(GOOGLE, request, '{"totalTokens":31,"cachedContentTokenCount":0}')).toBe(31);
  });

  const picture = { inlineData: { mimeType: 'image/png', data: 'AAAA' } };

  test('of Google counts images too low, so their published maximum is added', () => {
    const request = { contents: [{ parts: [picture, picture, { text: 'Hi' }] }] };
    expect(read(GOOGLE, request, '{"totalTokens":518}')).toBe(518 + 2 * 2_240);
  });

  test.each<[string, object, string?]>([
    ['a picture without a published maximum', picture, 'google/v1beta/models/gemini-2.5-flash:generateContent'],
    ['a video', { inlineData: { mimeType: 'video/mp4', data: 'AAAA' } }],
    ['sound', { inlineData: { mimeType: 'audio/wav', data: 'AAAA' } }],
    ['a document', { inlineData: { mimeType: 'application/pdf', data: 'AAAA' } }],
    ['a file', { fileData: { fileUri: 'https://generativelanguage.googleapis.com/v1beta/files/abc-123' } }],
  ])('of Google is not asked about %s, which it counts too low', (_name, part, address = GOOGLE) => {
    expect(counted(address, { contents: [{ parts: [part, { text: 'Hi' }] }] })).toBeNull();
    expect(counted(address, { contents: [{ parts: [{ text: 'Hi' }] }] })).not.toBeNull();
  });

  test('of OpenAI counts responses, but no stored prompts', () => {
    const request = { model: 'a', input: [{ role: 'user', content: 'b' }], previous_response_id: 'resp_1' };
    expect(counted(RESPONSES, { ...request, stream: true, max_output_tokens: 5, store: false })).toEqual({
      path: '/v1/responses/input_tokens',
      body: request,
    });
    expect(read(RESPONSES, request, '{"object":"response.input_tokens","input_tokens":12}')).toBe(12);
    expect(counted(RESPONSES, { ...request, prompt: { id: 'pmpt_1' } })).toBeNull();
    expect(counted(CHAT, { model: 'a', messages: [] })).toBeNull();
  });

  const inMessage = (source: object, type = 'document') => ({
    ...messages,
    messages: [{ role: 'user', content: [{ type, source }] }],
  });
  const inItem = (...content: object[]) => ({ model: 'a', input: [{ role: 'user', content }] });
  const inPart = (part: object) => ({ contents: [{ parts: [part] }] });
  const url = 'https://a.example/b.pdf';

  test.each<[string, string, object]>([
    ['a document by address', ANTHROPIC, inMessage({ type: 'url', url })],
    ['a picture by address', ANTHROPIC, inMessage({ type: 'url', url }, 'image')],
    ['a part of an unknown kind', ANTHROPIC, inMessage({ type: 'later', url }, 'video')],
    ['a document in a place that is not read', ANTHROPIC, { ...messages, later: { type: 'document' } }],
    ['a file by address', RESPONSES, inItem({ type: 'input_file', file_url: url })],
    ['a picture by address', RESPONSES, inItem({ type: 'input_image', image_url: url })],
    [
      'a screenshot by address',
      RESPONSES,
      {
        model: 'a',
        input: [{ type: 'computer_call_output', output: { type: 'computer_screenshot', image_url: url } }],
      },
    ],
    ['a part of an unknown kind', RESPONSES, inItem({ type: 'input_video', video_url: url })],
    ['a conversation, which others may go on with', RESPONSES, { model: 'a', input: 'b', conversation: 'conv_1' }],
    ['a file by address', GOOGLE, inPart({ fileData: { fileUri: url } })],
    ['a file by address in the other spelling', GOOGLE, inPart({ file_data: { file_uri: 'gs://a/b' } })],
    ['a film by address', GOOGLE, inPart({ fileData: { fileUri: 'https://www.youtube.com/watch?v=a' } })],
    [
      'an address that only looks like a file of the provider',
      GOOGLE,
      inPart({ fileData: { fileUri: 'https://generativelanguage.googleapis.com.a.example/v1beta/files/a' } }),
    ],
    ['a part of an unknown kind', GOOGLE, inPart({ later: { fileUri: url } })],
  ])('is not asked about content that may change before the call: %s (%s)', (_name, address, body) => {
    expect(counted(address, body)).toBeNull();
  });

  test.each<[string, string, object]>([
    ['a document in the body', ANTHROPIC, inMessage({ type: 'base64', data: 'AAAA' })],
    ['a file by its id', ANTHROPIC, inMessage({ type: 'file', file_id: 'file_1' })],
    ['a file by its id', RESPONSES, inItem({ type: 'input_file', file_id: 'file_1' })],
    ['a picture in the body', RESPONSES, inItem({ type: 'input_image', image_url: 'data:image/png;base64,AAAA' })],
    ['a picture by its id', RESPONSES, inItem({ type: 'input_image', file_id: 'file_1' })],
    ['an earlier answer', RESPONSES, { model: 'a', input: 'b', previous_response_id: 'resp_1' }],
    ['a picture in the body', GOOGLE, inPart({ inlineData: { mimeType: 'image/png', data: 'AAAA' } })],
  ])('is asked about content that stays as it is: %s (%s)', (_name, address, body) => {
    expect(counted(address, body)).not.toBeNull();
  });

  test.each([
    '',
    'null',
    '[]',
    '{}',
    '"12"',
    '{"input_tokens":"12"}',
    '{"input_tokens":-1}',
    '{"input_tokens":1.5}',
    '{"input_tokens":1e300}',
    '<html>',
  ])('can’t be read from %j', (answer) => {
    expect(read(ANTHROPIC, messages, answer)).toBeNull();
  });
});
