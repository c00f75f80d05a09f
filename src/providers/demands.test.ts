import { describe, expect, test } from 'vitest';
import type { ProviderWork, RequestDemand } from '../domain/limits/demand.ts';
import { readBody, readRefusal } from './contract/read-body.ts';
import { readFacts } from './contract/replay.ts';
import { customProvider } from './providers.ts';

const ANTHROPIC = 'anthropic/v1/messages';
const GOOGLE = 'google/v1beta/models/gemini-3.8-flash:generateContent';
const OLD_GOOGLE = 'google/v1beta/models/gemini-2.5-flash:generateContent';
const CHAT = 'openai/chat/completions';
const RESPONSES = 'openai/responses';

const messages = { model: 'claude-opus-5', max_tokens: 64, messages: [{ role: 'user', content: 'Hi' }] };
const contents = { contents: [{ parts: [{ text: 'Hi' }] }] };
const chat = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hi' }] };
const response = { model: 'gpt-4o', input: 'Hi' };

/** More spaces than a value that is read may have. */
const PADDING = ' '.repeat(5_000);
const BASE64 = 'iVBORw0KGgo'.repeat(100);
const said = (...content: unknown[]) => ({ ...messages, messages: [{ role: 'user', content }] });
const parts = (...list: unknown[]) => ({ contents: [{ role: 'user', parts: list }] });
const chatParts = (...content: unknown[]) => ({ ...chat, messages: [{ role: 'user', content }] });
const items = (...input: unknown[]) => ({ ...response, input });
const picture = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: BASE64 } };
const long = { type: 'ephemeral', ttl: '1h' };
const short = { type: 'ephemeral' };
const search = { type: 'web_search_20250305', name: 'web_search' };
const bounded = (passes: number, uses: object = {}) => ({
  passes,
  loopPasses: 0,
  loopSearches: 0,
  uses,
  unbounded: null,
});
const looped = (loopPasses: number, loopSearches: number | null, uses: object = {}, passes = 0) => ({
  ...bounded(passes, uses),
  loopPasses,
  loopSearches,
});
const length = (body: unknown): number => Buffer.byteLength(typeof body === 'string' ? body : JSON.stringify(body));

type PartialDemand = Omit<Partial<RequestDemand>, 'work'> & { readonly work?: Partial<ProviderWork> };
type Case = readonly [name: string, address: string, body: unknown, demand: PartialDemand];
const HEARD = { audioIn: true, imageIn: true };

const REFERRING = {
  $ref: '#/$defs/b',
  $defs: { b: { properties: { l: { $ref: '#/$defs/a' }, r: { $ref: '#/$defs/a' } } }, a: { type: 'string' } },
};
const SCHEMATIC = { model: 'google/gemini-2.5-flash', messages: [{ role: 'user', content: 'Hi' }] };

const CASES: readonly Case[] = [
  // Schemas whose references are written out
  ...['responseSchema', 'responseJsonSchema', 'response_json_schema'].map((name): Case => [
    name,
    GOOGLE,
    { ...contents, generationConfig: { [name]: REFERRING } },
    { beyondBody: true },
  ]),
  [
    'a legacy schema',
    GOOGLE,
    { ...contents, generationConfig: { responseSchema: { ref: '#/defs/a', defs: { a: {} } } } },
    { beyondBody: true },
  ],
  [
    'the schema of a function',
    GOOGLE,
    { ...contents, tools: [{ functionDeclarations: [{ name: 'f', parametersJsonSchema: REFERRING }] }] },
    { beyondBody: true },
  ],
  [
    'a property that is named like a reference',
    GOOGLE,
    { ...contents, generationConfig: { responseSchema: { properties: { ref: { type: 'STRING' } } } } },
    { beyondBody: false },
  ],
  [
    'a schema at a compatible provider',
    'openrouter/v1/chat/completions',
    { ...SCHEMATIC, response_format: { type: 'json_schema', json_schema: { name: 'a', schema: REFERRING } } },
    { beyondBody: true },
  ],
  [
    'the schema of a tool at a compatible provider',
    'openrouter/v1/chat/completions',
    { ...SCHEMATIC, tools: [{ type: 'function', function: { name: 'f', parameters: REFERRING } }] },
    { beyondBody: true },
  ],
  [
    'a schema at OpenAI',
    CHAT,
    { ...chat, response_format: { type: 'json_schema', json_schema: { name: 'a', schema: REFERRING } } },
    { beyondBody: false },
  ],
  // Anthropic
  [
    'a plain message',
    ANTHROPIC,
    messages,
    { outputMax: 64, answers: 1, reruns: 0, beyondBody: false, work: bounded(0) },
  ],
  [
    'text beyond ASCII by its bytes',
    ANTHROPIC,
    said({ type: 'text', text: '日本語' }),
    { textBytes: length(said({ type: 'text', text: '日本語' })) },
  ],
  [
    'pictures by their maximum',
    ANTHROPIC,
    said(picture, picture),
    {
      mediaTokens: 2 * 4_784,
      textBytes: length(said(picture, picture)) - 2 * BASE64.length,
      beyondBody: false,
      media: { audioIn: false, imageIn: true, audioOut: false, imageOut: false },
    },
  ],
  [
    'a picture by address',
    ANTHROPIC,
    said({ type: 'image', source: { type: 'url', url: 'https://a.example/b.png' } }),
    { mediaTokens: 4_784, beyondBody: false },
  ],
  [
    'a picture in a tool result',
    ANTHROPIC,
    said({ type: 'tool_result', content: [{ type: 'text', text: 'a' }, picture] }),
    { mediaTokens: 4_784, beyondBody: false },
  ],
  [
    'a picture in an article',
    ANTHROPIC,
    said({ type: 'document', source: { type: 'content', content: [picture] } }),
    { mediaTokens: 4_784, beyondBody: false },
  ],
  [
    'an article as text',
    ANTHROPIC,
    said({ type: 'document', source: { type: 'text', data: 'Long text' } }),
    { beyondBody: false, mediaTokens: 0 },
  ],
  [
    'an article as PDF',
    ANTHROPIC,
    said({ type: 'document', source: { type: 'base64', data: BASE64 } }),
    { beyondBody: true },
  ],
  [
    'a stored file',
    ANTHROPIC,
    said({ type: 'document', source: { type: 'file', file_id: 'file_1' } }),
    { beyondBody: true },
  ],
  [
    'base64 that is no picture',
    ANTHROPIC,
    said({ type: 'text', source: { type: 'base64', data: BASE64 } }),
    { textBytes: length(said({ type: 'text', source: { type: 'base64', data: BASE64 } })) },
  ],
  [
    'data that is no text',
    ANTHROPIC,
    said({ type: 'image', source: { type: 'base64', data: { a: BASE64 } } }),
    { textBytes: length(said({ type: 'image', source: { type: 'base64', data: { a: BASE64 } } })) },
  ],
  [
    'a picture among a tool’s arguments as text',
    ANTHROPIC,
    said({ type: 'tool_use', input: picture }),
    { mediaTokens: 0, beyondBody: false },
  ],
  ['a kind of part that is not known', ANTHROPIC, said({ type: 'hologram' }), { beyondBody: true }],
  [
    'results of the provider’s tools',
    ANTHROPIC,
    said({ type: 'server_tool_use' }, { type: 'web_search_tool_result', content: [{ type: 'web_search_result' }] }),
    { beyondBody: false, work: bounded(0) },
  ],
  [
    'a page that was fetched as PDF',
    ANTHROPIC,
    said({
      type: 'web_fetch_tool_result',
      content: { type: 'web_fetch_result', content: { type: 'document', source: { type: 'base64', data: BASE64 } } },
    }),
    { beyondBody: true },
  ],
  ['a part in place of a list', ANTHROPIC, { ...messages, messages: [{ content: picture }] }, { mediaTokens: 4_784 }],
  [
    'an earlier conversation',
    ANTHROPIC,
    { ...messages, thread: { type: 'continue', previous_message_id: 'msg_1' } },
    { beyondBody: true },
  ],
  ['a new conversation', ANTHROPIC, { ...messages, thread: { type: 'create' } }, { beyondBody: false }],
  ['a container', ANTHROPIC, { ...messages, container: { id: 'container_1' } }, { beyondBody: true }],
  ['writes for five minutes', ANTHROPIC, { ...messages, cache_control: short }, { cacheWrites: '5m' }],
  [
    'writes for an hour in a part',
    ANTHROPIC,
    said({ type: 'text', text: 'a', cache_control: long }),
    { cacheWrites: '1h' },
  ],
  [
    'writes of the instructions',
    ANTHROPIC,
    { ...messages, system: [{ type: 'text', text: 'a', cache_control: short }] },
    { cacheWrites: '5m' },
  ],
  ['writes of a tool', ANTHROPIC, { ...messages, tools: [{ name: 'a', cache_control: long }] }, { cacheWrites: '1h' }],
  [
    'writes for a life that is not known',
    ANTHROPIC,
    { ...messages, cache_control: { ttl: '9d' } },
    { cacheWrites: '1h' },
  ],
  ['no writes', ANTHROPIC, { ...messages, cache_control: null }, { cacheWrites: 'none' }],
  ['writes in an unknown place', ANTHROPIC, { ...messages, later: { cache_control: short } }, { cacheWrites: '1h' }],
  ['a picture in an unknown place', ANTHROPIC, { ...messages, later: [picture] }, { beyondBody: true }],
  [
    'a tool in an unknown place',
    ANTHROPIC,
    { ...messages, later: [search] },
    { work: { unbounded: 'a provider tool in an unknown place' } },
  ],
  [
    'a thinking budget',
    ANTHROPIC,
    { ...messages, thinking: { type: 'enabled', budget_tokens: 1_024 } },
    { outputLeast: 1_024 },
  ],
  ['a plain message', ANTHROPIC, said({ type: 'text', text: 'Hi' }, picture), { preambleTokens: 256 }],
  [
    'a document with citations, which the provider explains',
    ANTHROPIC,
    said({ type: 'document', source: { type: 'text', data: 'Hi' }, citations: { enabled: true } }),
    { preambleTokens: 2_048 },
  ],
  [
    'a search result with citations',
    ANTHROPIC,
    said({ type: 'search_result', content: [{ type: 'text', text: 'Hi' }], citations: { enabled: true } }),
    { preambleTokens: 2_048 },
  ],
  [
    'tools of the client’s',
    ANTHROPIC,
    {
      ...messages,
      tools: [
        { name: 'a', input_schema: { type: 'object' } },
        { type: 'custom', name: 'b' },
      ],
    },
    { work: bounded(0), preambleTokens: 2_048 },
  ],
  [
    'tools the provider describes',
    ANTHROPIC,
    { ...messages, tools: [{ type: 'bash_20250124' }, { type: 'computer_20251124' }] },
    { work: bounded(0), preambleTokens: 2_048 + 1_900 },
  ],
  [
    'searches of which none is allowed, which the model may still ask for',
    ANTHROPIC,
    { ...messages, tools: [{ ...search, max_uses: 0 }] },
    { work: { unbounded: 'tools[].web_search_20250305 without max_uses' } },
  ],
  [
    'searches, of which refused ones make passes too until the loop of the provider ends',
    ANTHROPIC,
    { ...messages, tools: [{ ...search, max_uses: 3 }] },
    { work: looped(10, 3, { webSearch: 3 }) },
  ],
  [
    'more searches than the loop of the provider has iterations',
    ANTHROPIC,
    { ...messages, tools: [{ ...search, max_uses: 13 }] },
    { work: looped(13, 13, { webSearch: 13 }) },
  ],
  [
    'searches and fetches that share one loop',
    ANTHROPIC,
    {
      ...messages,
      tools: [
        { ...search, max_uses: 8 },
        { type: 'web_fetch_20250910', max_uses: 4 },
      ],
    },
    { work: looped(12, null, { webSearch: 8, webFetch: 4 }) },
  ],
  [
    'searches and a summary of the conversation',
    ANTHROPIC,
    {
      ...messages,
      tools: [{ ...search, max_uses: 3 }],
      context_management: { edits: [{ type: 'compact_20260112' }] },
    },
    { work: looped(10, 3, { webSearch: 3 }, 11) },
  ],
  [
    'searches and fetches',
    ANTHROPIC,
    {
      ...messages,
      tools: [
        { ...search, max_uses: 3 },
        { type: 'web_fetch_20250910', max_uses: 2 },
      ],
    },
    { work: looped(10, null, { webSearch: 3, webFetch: 2 }) },
  ],
  [
    'searches without an end',
    ANTHROPIC,
    { ...messages, tools: [search] },
    { work: { unbounded: 'tools[].web_search_20250305 without max_uses' } },
  ],
  [
    'searches beyond all numbers',
    ANTHROPIC,
    JSON.stringify({ ...messages, tools: [{ ...search, max_uses: 1 }] }).replace('"max_uses":1', '"max_uses":1e308'),
    { work: { unbounded: 'tools[].web_search_20250305 without max_uses' } },
  ],
  [
    'searches beyond sense',
    ANTHROPIC,
    { ...messages, tools: [{ ...search, max_uses: 1e12 }] },
    { work: { unbounded: 'tools[].web_search_20250305 with more than 1000000 uses' } },
  ],
  [
    'searches run by code',
    ANTHROPIC,
    { ...messages, tools: [{ type: 'web_search_20260318', max_uses: 3 }] },
    { work: { unbounded: 'tools[].web_search_20260318 without "allowed_callers": ["direct"]' } },
  ],
  [
    'later searches called directly',
    ANTHROPIC,
    { ...messages, tools: [{ type: 'web_search_20260318', max_uses: 3, allowed_callers: ['direct'] }] },
    { work: looped(10, 3, { webSearch: 3 }) },
  ],
  [
    'a tool a message brings',
    ANTHROPIC,
    said({ type: 'tool_addition', tool: { type: 'tool_definition', definition: { ...search, max_uses: 2 } } }),
    { work: looped(10, 2, { webSearch: 2 }) },
  ],
  [
    'code',
    ANTHROPIC,
    { ...messages, tools: [{ type: 'code_execution_20250825' }] },
    { work: { unbounded: 'tools[].code_execution_20250825' } },
  ],
  [
    'searches with a maximum and a tool without one',
    ANTHROPIC,
    {
      ...messages,
      tools: [
        { ...search, max_uses: 30 },
        { ...search, type: 'web_fetch_20250910' },
      ],
    },
    {
      work: { ...looped(30, 30, { webSearch: 30 }), unbounded: 'tools[].web_fetch_20250910 without max_uses' },
    },
  ],
  [
    'an advisor with a maximum next to a tool server',
    ANTHROPIC,
    { ...messages, mcp_servers: [{}], tools: [{ type: 'advisor_20260301', model: 'claude-opus-5', max_uses: 3 }] },
    { work: { ...looped(10, null, {}, 3), unbounded: 'mcp_servers' } },
  ],
  [
    'servers',
    ANTHROPIC,
    { ...messages, mcp_servers: [{ url: 'https://a.example' }] },
    { work: { unbounded: 'mcp_servers' } },
  ],
  ['no servers', ANTHROPIC, { ...messages, mcp_servers: [] }, { work: bounded(0) }],
  [
    'a tool of tomorrow',
    ANTHROPIC,
    { ...messages, tools: [{ type: 'teleport_20280101' }] },
    { work: { unbounded: 'tools[].teleport_20280101' } },
  ],
  [
    'an advisor, whose passes are beside those of the loop',
    ANTHROPIC,
    { ...messages, tools: [{ type: 'advisor_20260301', model: 'claude-fable-5', max_uses: 2, caching: long }] },
    { work: looped(10, null, {}, 2), otherModels: ['claude-fable-5'], cacheWrites: '1h' },
  ],
  [
    'an advisor that code may call',
    ANTHROPIC,
    {
      ...messages,
      tools: [{ type: 'advisor_20260301', model: 'a', max_uses: 2, allowed_callers: ['code_execution_20260120'] }],
    },
    { work: { unbounded: 'tools[].advisor_20260301 without "allowed_callers": ["direct"]' } },
  ],
  [
    'an advisor without an end',
    ANTHROPIC,
    { ...messages, tools: [{ type: 'advisor_20260301', model: 'claude-fable-5' }] },
    { work: { unbounded: 'tools[].advisor_20260301 without max_uses' } },
  ],
  [
    'models that answer instead',
    ANTHROPIC,
    {
      ...messages,
      fallbacks: [{ model: 'claude-opus-4-8' }, { model: 'claude-sonnet-5', max_tokens: 900, speed: 'fast' }],
    },
    { reruns: 2, otherModels: ['claude-opus-4-8', 'claude-sonnet-5'], outputMax: 900, speed: 'fast' },
  ],
  [
    'models that nobody names',
    ANTHROPIC,
    { ...messages, fallbacks: 'default' },
    { anyModel: true, work: { unbounded: 'fallbacks without a list of models' } },
  ],
  [
    'a model that is no name',
    ANTHROPIC,
    { ...messages, fallbacks: [{ model: 7 }] },
    { work: { unbounded: 'fallbacks[] without a model’s name'.replace('’', "'") } },
  ],
  [
    'a context that is summed up',
    ANTHROPIC,
    { ...messages, context_management: { edits: [{ type: 'compact_20260112' }] } },
    { work: bounded(1) },
  ],
  [
    'a context that is cleared',
    ANTHROPIC,
    { ...messages, context_management: { edits: [{ type: 'clear_thinking_20251015' }] } },
    { work: bounded(0) },
  ],
  [
    'speed, tier and geography',
    ANTHROPIC,
    { ...messages, speed: 'FAST', service_tier: 'standard_only', inference_geo: 'us' },
    { speed: 'fast', tier: 'standard', geo: 'us', pinTier: null },
  ],
  [
    'nothing said',
    ANTHROPIC,
    { ...messages, service_tier: 'auto' },
    { speed: null, tier: null, geo: null, pinTier: null },
  ],
  ['an answer of nothing', ANTHROPIC, { ...messages, max_tokens: 0 }, { outputMax: 0 }],
  ['a negative maximum', ANTHROPIC, { ...messages, max_tokens: -5 }, { outputMax: null }],
  ['half a token', ANTHROPIC, { ...messages, max_tokens: 0.5 }, { outputMax: null }],
  ['a maximum written with an exponent', ANTHROPIC, JSON.stringify(messages).replace('64', '6.4E1'), { outputMax: 64 }],

  [
    'a lifetime that is no text',
    ANTHROPIC,
    said({ type: 'text', text: 'a', cache_control: { type: 'ephemeral', ttl: ['1h'] } }),
    { cacheWrites: '1h' },
  ],
  [
    'a lifetime behind more spaces than are read',
    ANTHROPIC,
    said({ type: 'text', text: 'a', cache_control: { type: 'ephemeral', ttl: `1h${PADDING}` } }),
    { cacheWrites: '1h' },
  ],
  ['writes that are no object', ANTHROPIC, { ...messages, cache_control: '1h' }, { cacheWrites: '1h' }],
  [
    'a kind of tool that is no text',
    ANTHROPIC,
    { ...messages, tools: [{ type: ['web_search_20250305'], name: 'a' }] },
    { work: { unbounded: 'tools[].?' } },
  ],
  [
    'a kind of tool behind more spaces than are read',
    ANTHROPIC,
    { ...messages, tools: [{ type: `web_search_20250305${PADDING}`, name: 'a' }] },
    { work: { unbounded: 'tools[].?' } },
  ],
  [
    'searches that nothing may call',
    ANTHROPIC,
    { ...messages, tools: [{ ...search, max_uses: 3, allowed_callers: [] }] },
    { work: { unbounded: 'tools[].web_search_20250305 without "allowed_callers": ["direct"]' } },
  ],
  ['a speed that is no text', ANTHROPIC, { ...messages, speed: ['fast'] }, { speed: '?' }],
  ['a speed behind more spaces than are read', ANTHROPIC, { ...messages, speed: `fast${PADDING}` }, { speed: '?' }],
  [
    'a tier and a geography that are no text',
    ANTHROPIC,
    { ...messages, service_tier: 3, inference_geo: {} },
    { tier: '?', geo: '?' },
  ],
  [
    'a speed of a model that answers instead, which nobody knows',
    ANTHROPIC,
    { ...messages, speed: 'fast', fallbacks: [{ model: 'claude-sonnet-5', speed: ['fast'] }] },
    { speed: '?' },
  ],
  [
    'a thinking budget below the maximum',
    ANTHROPIC,
    { ...messages, thinking: { type: 'enabled', budget_tokens: 63 } },
    { outputMax: 64, liftsMaxUpTo: 63 },
  ],
  [
    'a thinking budget that is not below the maximum',
    ANTHROPIC,
    { ...messages, thinking: { type: 'enabled', budget_tokens: 64 } },
    { liftsMaxUpTo: Number.MAX_SAFE_INTEGER },
  ],
  [
    'a thinking budget of a model that answers instead',
    ANTHROPIC,
    { ...messages, fallbacks: [{ model: 'a', thinking: { type: 'enabled', budget_tokens: 64 } }] },
    { liftsMaxUpTo: Number.MAX_SAFE_INTEGER },
  ],
  [
    'a thinking budget that is no number',
    ANTHROPIC,
    { ...messages, thinking: { type: 'enabled', budget_tokens: '63' } },
    { liftsMaxUpTo: Number.MAX_SAFE_INTEGER },
  ],
  [
    'a thinking budget above the maximum of a model that answers instead',
    ANTHROPIC,
    {
      ...messages,
      max_tokens: 9_000,
      thinking: { budget_tokens: 5_000 },
      fallbacks: [{ model: 'a', max_tokens: 100 }],
    },
    { liftsMaxUpTo: Number.MAX_SAFE_INTEGER },
  ],

  // Google
  [
    'a plain prompt',
    GOOGLE,
    contents,
    {
      outputMax: null,
      answers: 1,
      beyondBody: false,
      work: bounded(0),
      tier: 'standard',
      media: { audioIn: false, imageIn: false, audioOut: true, imageOut: true },
    },
  ],
  [
    'answers of text',
    GOOGLE,
    { ...contents, generationConfig: { responseModalities: ['TEXT'] } },
    { media: { audioIn: false, imageIn: false, audioOut: false, imageOut: false } },
  ],
  [
    'answers that are drawn',
    GOOGLE,
    { ...contents, generation_config: { response_modalities: ['TEXT', 'image'] } },
    { media: { audioIn: false, imageIn: false, audioOut: false, imageOut: true } },
  ],
  [
    'a picture of a newer model',
    GOOGLE,
    parts({ inlineData: { mimeType: 'image/png', data: BASE64 } }),
    {
      mediaTokens: 2_240,
      beyondBody: false,
      textBytes: length(parts({ inlineData: { mimeType: 'image/png', data: BASE64 } })) - BASE64.length,
    },
  ],
  [
    'a picture of an older model',
    OLD_GOOGLE,
    parts({ inlineData: { mimeType: 'image/png', data: BASE64 } }),
    { beyondBody: true },
  ],
  [
    'sound',
    GOOGLE,
    parts({ inline_data: { mime_type: 'audio/mp3', data: BASE64 } }),
    { beyondBody: true, media: { audioIn: true, imageIn: false, audioOut: true, imageOut: true } },
  ],
  [
    'a film',
    GOOGLE,
    parts({ inlineData: { mimeType: 'video/mp4', data: BASE64 } }),
    { beyondBody: true, media: { ...HEARD, audioOut: true, imageOut: true } },
  ],
  [
    'text as data',
    GOOGLE,
    parts({ inlineData: { mimeType: 'text/plain', data: BASE64 } }),
    { beyondBody: false, textBytes: length(parts({ inlineData: { mimeType: 'text/plain', data: BASE64 } })) },
  ],
  [
    'a picture of a size in tokens',
    GOOGLE,
    parts({ inlineData: { mimeType: 'image/png', data: BASE64 }, mediaResolution: { numTokens: 100_000 } }),
    { beyondBody: true },
  ],
  [
    'a video that the model looks at as it likes',
    GOOGLE,
    parts({ inline_data: { mimeType: 'video/mp4', data: BASE64 }, media_processing: 'AGENTIC' }),
    { work: { unbounded: 'parts[].mediaProcessing' } },
  ],
  ['data without a kind', GOOGLE, parts({ inlineData: { data: BASE64 } }), { beyondBody: true }],
  ['a file', GOOGLE, parts({ fileData: { fileUri: 'https://a.example' } }), { beyondBody: true }],
  ['a part of tomorrow', GOOGLE, parts({ text: 'a', hologram: {} }), { beyondBody: true }],
  [
    'a picture in a function’s answer',
    GOOGLE,
    parts({ functionResponse: { response: {}, parts: [{ inlineData: { mimeType: 'image/png', data: BASE64 } }] } }),
    { mediaTokens: 2_240, beyondBody: false },
  ],
  [
    'parts that are no list',
    GOOGLE,
    { contents: { parts: { inlineData: { mimeType: 'image/png', data: '' } } } },
    { mediaTokens: 2_240 },
  ],
  [
    'a picture in the instructions',
    GOOGLE,
    { ...contents, system_instruction: { parts: [{ inlineData: { mimeType: 'image/png', data: '' } }] } },
    { mediaTokens: 2_240 },
  ],
  ['media in an unknown place', GOOGLE, { ...contents, later: { inline_data: {} } }, { beyondBody: true }],
  [
    'cached content',
    GOOGLE,
    { ...contents, cachedContent: 'cachedContents/a' },
    { beyondBody: true, media: { ...HEARD, audioOut: true, imageOut: true } },
  ],
  ['an answer that goes on', GOOGLE, { ...contents, continuationToken: 'AAAA' }, { beyondBody: true }],
  [
    'functions of the client’s',
    GOOGLE,
    {
      ...contents,
      tools: [{ functionDeclarations: [{ name: 'a', parameters: { type: 'OBJECT', googleSearch: {} } }] }],
    },
    { work: bounded(0) },
  ],
  [
    'searches of Google',
    GOOGLE,
    { ...contents, tools: [{ google_search: {} }] },
    { work: { unbounded: 'tools[].googleSearch' } },
  ],
  [
    'a tool that is no list',
    GOOGLE,
    { ...contents, tools: { urlContext: {} } },
    { work: { unbounded: 'tools[].urlContext' } },
  ],
  [
    'a tool of tomorrow, Google',
    GOOGLE,
    { ...contents, tools: [{ timeTravel: {} }] },
    { work: { unbounded: 'tools[] with an unknown tool' } },
  ],
  [
    'a budget for thinking',
    GOOGLE,
    { ...contents, generationConfig: { thinkingConfig: { thinkingBudget: 512 } } },
    { outputLeast: 512 },
  ],
  [
    'as much thinking as it likes',
    GOOGLE,
    { ...contents, generationConfig: { thinkingConfig: { thinkingBudget: -1 } } },
    { outputLeast: 0 },
  ],
  [
    'numbers as text',
    GOOGLE,
    { ...contents, generationConfig: { maxOutputTokens: '50', candidateCount: '3' } },
    { outputMax: 50, answers: 3 },
  ],
  [
    'a maximum of nothing',
    GOOGLE,
    { ...contents, generationConfig: { maxOutputTokens: 0, candidateCount: 0 } },
    { outputMax: null, answers: 1 },
  ],
  ['a tier', GOOGLE, { ...contents, serviceTier: 'PRIORITY' }, { tier: 'priority' }],
  ['no tier', GOOGLE, { ...contents, service_tier: 'unspecified' }, { tier: 'standard' }],

  [
    'answers of a kind that is no list',
    GOOGLE,
    { ...contents, generationConfig: { responseModalities: 'IMAGE' } },
    { work: { unbounded: 'generationConfig.responseModalities with "?"' } },
  ],
  [
    'answers of a kind that is a number',
    GOOGLE,
    { ...contents, generationConfig: { responseModalities: [2] } },
    { work: { unbounded: 'generationConfig.responseModalities with "?"' } },
  ],
  [
    'answers of a kind that is a number as a text',
    GOOGLE,
    { ...contents, generationConfig: { responseModalities: ['2'] } },
    { work: { unbounded: 'generationConfig.responseModalities with "2"' } },
  ],
  [
    'answers of a kind that is a list in a list',
    GOOGLE,
    { ...contents, generationConfig: { responseModalities: [['IMAGE']] } },
    { work: { unbounded: 'generationConfig.responseModalities with "?"' } },
  ],
  [
    'answers of a kind that is nothing',
    GOOGLE,
    { ...contents, generationConfig: { responseModalities: [''] } },
    { work: { unbounded: 'generationConfig.responseModalities with "?"' } },
  ],
  [
    'answers of a kind that is not known',
    GOOGLE,
    { ...contents, generationConfig: { responseModalities: ['VIDEO'] } },
    { work: { unbounded: 'generationConfig.responseModalities with "video"' } },
  ],
  [
    'answers of no kind',
    GOOGLE,
    { ...contents, generationConfig: { responseModalities: [] } },
    { media: { audioIn: false, imageIn: false, audioOut: true, imageOut: true }, asked: [], work: bounded(0) },
  ],
  [
    'answers of an unspecified kind',
    GOOGLE,
    { ...contents, generationConfig: { responseModalities: ['MODALITY_UNSPECIFIED'] } },
    { media: { audioIn: false, imageIn: false, audioOut: true, imageOut: true }, asked: [], work: bounded(0) },
  ],
  [
    'a kind of answers behind more spaces than are read',
    GOOGLE,
    JSON.stringify({ ...contents, generationConfig: { responseModalities: ['IMAGE'] } }).replace(
      '["IMAGE',
      `[${PADDING}"IMAGE`,
    ),
    { work: { unbounded: 'generationConfig.responseModalities with "?"' } },
  ],
  [
    'drawn answers',
    GOOGLE,
    { ...contents, generationConfig: { responseModalities: ['TEXT', 'IMAGE'] } },
    { asked: ['outputImage'] },
  ],
  [
    'spoken answers of text',
    GOOGLE,
    { ...contents, generationConfig: { responseModalities: ['TEXT'], speechConfig: {} } },
    { media: { audioIn: false, imageIn: false, audioOut: true, imageOut: true } },
  ],
  [
    'answers in a newer format',
    GOOGLE,
    { ...contents, generationConfig: { responseModalities: ['TEXT'], responseFormat: [{ image: {} }] } },
    { work: { unbounded: 'generationConfig.responseFormat' } },
  ],
  [
    'a model that the provider chooses',
    GOOGLE,
    { ...contents, generationConfig: { routingConfig: { autoMode: {} } } },
    { work: { unbounded: 'generationConfig.routingConfig, which may choose another model' } },
  ],
  ['a tier as a number', GOOGLE, { ...contents, serviceTier: 3 }, { tier: '?' }],
  [
    'a tier behind more spaces than are read',
    GOOGLE,
    { ...contents, serviceTier: `priority${PADDING}` },
    { tier: '?' },
  ],
  ['an empty tier', GOOGLE, { ...contents, serviceTier: '' }, { tier: '?' }],
  [
    'tools of cached content',
    GOOGLE,
    { ...contents, cachedContent: 'cachedContents/a' },
    { work: { unbounded: 'cachedContent, which may add tools' } },
  ],

  // OpenAI, chat completions
  [
    'a plain chat',
    CHAT,
    chat,
    { outputMax: null, answers: 1, work: bounded(0), tier: null, pinTier: 'default', beyondBody: false },
  ],
  [
    'a picture in a chat',
    CHAT,
    chatParts({ type: 'image_url', image_url: { url: `data:image/png;base64,${BASE64}` } }),
    {
      mediaTokens: 1_445,
      beyondBody: false,
      textBytes: length(chatParts({ type: 'image_url', image_url: { url: '' } })),
    },
  ],
  [
    'a picture by its address',
    CHAT,
    chatParts({ type: 'image_url', image_url: { url: 'https://a.example/b.png' } }),
    {
      mediaTokens: 1_445,
      textBytes: length(chatParts({ type: 'image_url', image_url: { url: 'https://a.example/b.png' } })),
    },
  ],
  [
    'a picture of a model whose maximum is not published',
    CHAT,
    { ...chatParts({ type: 'image_url', image_url: { url: '' } }), model: 'gpt-6.2-astra' },
    { beyondBody: true },
  ],
  [
    'a dear picture',
    CHAT,
    { ...chatParts({ type: 'image_url', image_url: { url: '' } }), model: 'gpt-4o-mini-2024-07-18' },
    { mediaTokens: 48_169 },
  ],
  [
    'a picture elsewhere',
    'groq/chat/completions',
    chatParts({ type: 'image_url', image_url: 'data:image/png;base64,AAAA' }),
    { beyondBody: true },
  ],
  [
    'sound in a chat',
    CHAT,
    chatParts({ type: 'input_audio', input_audio: { data: BASE64, format: 'wav' } }),
    { beyondBody: true, media: { audioIn: true, imageIn: false, audioOut: false, imageOut: false } },
  ],
  ['sound without a kind', CHAT, chatParts({ input_audio: { data: BASE64 } }), { asked: ['inputAudio'] }],
  ['sound of a kind spelt otherwise', CHAT, chatParts({ type: ' input_audio' }), { asked: ['inputAudio'] }],
  ['a kind of part that is no text', CHAT, chatParts({ type: ['input_audio'] }), { asked: ['inputAudio'] }],
  ['a file in a chat', CHAT, chatParts({ type: 'file', file: { file_id: 'file_1' } }), { beyondBody: true }],
  ['a part of tomorrow in a chat', CHAT, chatParts({ type: 'hologram' }), { beyondBody: true }],
  [
    'an earlier spoken answer',
    CHAT,
    { ...chat, messages: [{ role: 'assistant', audio: { id: 'audio_1' } }] },
    { beyondBody: true, media: { audioIn: true, imageIn: false, audioOut: false, imageOut: false } },
  ],
  [
    'a spoken answer',
    CHAT,
    { ...chat, modalities: ['text', 'audio'], audio: { voice: 'a' } },
    { media: { audioIn: false, imageIn: false, audioOut: true, imageOut: false } },
  ],
  [
    'several answers',
    CHAT,
    { ...chat, n: 4, max_tokens: 10, max_completion_tokens: 30 },
    { answers: 4, outputMax: 30 },
  ],
  ['several answers as lenient readers take them', 'vllm/chat/completions', { ...chat, n: '4' }, { answers: 4 }],
  [
    'functions',
    CHAT,
    { ...chat, tools: [{ type: 'function', function: { name: 'a', parameters: { type: 'image_url' } } }] },
    { work: bounded(0), beyondBody: false },
  ],
  [
    'a tool of a compatible provider’s own',
    'groq/chat/completions',
    { ...chat, tools: [{ type: 'browser_search' }] },
    { work: { unbounded: 'tools[].browser_search' } },
  ],
  ['a prediction', CHAT, { ...chat, prediction: { type: 'content', content: 'a' } }, { work: bounded(1) }],
  [
    'models in turn',
    'openrouter/chat/completions',
    { ...chat, models: ['a/b', 'c/d', 'a/b'] },
    { reruns: 3, otherModels: ['a/b', 'c/d'] },
  ],
  [
    'a model whose name is the mode pro',
    'openrouter/chat/completions',
    { ...chat, model: 'openai/gpt-6-sol-pro' },
    { work: { unbounded: 'model, which reasons in the mode pro' } },
  ],
  [
    'a further model whose name is the mode pro',
    'openrouter/chat/completions',
    { ...chat, models: ['openai/gpt-5.6-terra-pro:nitro'] },
    { work: { unbounded: 'model, which reasons in the mode pro' } },
  ],
  [
    'a model that is called pro and bounded',
    'openrouter/chat/completions',
    { ...chat, model: 'openai/gpt-5.4-pro' },
    { work: bounded(0) },
  ],
  [
    'models that are no list',
    'openrouter/chat/completions',
    { ...chat, models: 'a/b' },
    { anyModel: true, work: { unbounded: 'models' } },
  ],
  [
    'a maximum that the provider does not read',
    'mistral/chat/completions',
    { ...chat, max_completion_tokens: 5 },
    { outputMax: null },
  ],
  ['a tier by its newer name', CHAT, { ...chat, service_tier: 'fast' }, { tier: 'priority', pinTier: null }],
  ['the project’s tier', CHAT, { ...chat, service_tier: 'auto' }, { tier: null, pinTier: 'default' }],
  ['a tier elsewhere', 'groq/chat/completions', chat, { tier: null, pinTier: null }],
  ['writes for twelve hours', CHAT, { ...chat, prompt_cache_options: { ttl: '12h' } }, { cacheWrites: '12h' }],
  [
    'writes through another provider',
    'openrouter/chat/completions',
    chatParts({ type: 'text', text: 'a', cache_control: long }),
    { cacheWrites: '1h' },
  ],

  [
    'a chat’s answer of a kind that is no list',
    CHAT,
    { ...chat, modalities: 'audio' },
    { work: { unbounded: 'modalities with "?"' } },
  ],
  [
    'a chat’s answer of a kind that is a number',
    CHAT,
    { ...chat, modalities: [3] },
    { work: { unbounded: 'modalities with "?"' } },
  ],
  [
    'a chat’s answer of a kind that is not known',
    CHAT,
    { ...chat, modalities: ['video'] },
    { work: { unbounded: 'modalities with "video"' } },
  ],
  [
    'a chat’s answer behind more spaces than are read',
    CHAT,
    JSON.stringify({ ...chat, modalities: ['audio'] }).replace('["audio', `[${PADDING}"audio`),
    { work: { unbounded: 'modalities with "?"' } },
  ],
  [
    'a spoken answer and sound',
    CHAT,
    { ...chatParts({ type: 'input_audio', input_audio: { data: BASE64 } }), modalities: ['audio'], audio: {} },
    { asked: ['inputAudio', 'outputAudio'] },
  ],
  [
    'a kind of a chat’s tool that is no text',
    CHAT,
    { ...chat, tools: [{ type: ['browser_search'] }] },
    { work: { unbounded: 'tools[].?' } },
  ],
  ['a tier of a chat that is no text', CHAT, { ...chat, service_tier: ['priority'] }, { tier: '?', pinTier: null }],
  ['writes for a life that is no text', CHAT, { ...chat, prompt_cache_options: { ttl: 12 } }, { cacheWrites: '12h' }],
  ['writes whose options are no object', CHAT, { ...chat, prompt_cache_options: '12h' }, { cacheWrites: '12h' }],
  [
    'a breakpoint for twelve hours',
    CHAT,
    chatParts({ type: 'text', text: 'a', prompt_cache_breakpoint: { mode: 'explicit', ttl: '12h' } }),
    { cacheWrites: '12h' },
  ],
  [
    'a breakpoint for half an hour',
    CHAT,
    chatParts({ type: 'text', text: 'a', prompt_cache_breakpoint: { mode: 'explicit', ttl: '30m' } }),
    { cacheWrites: 'none' },
  ],
  [
    'a breakpoint that is no object',
    CHAT,
    chatParts({ type: 'image_url', image_url: { url: 'https://a' }, prompt_cache_breakpoint: '12h' }),
    { cacheWrites: '12h' },
  ],
  [
    'a breakpoint in a place that is not read',
    CHAT,
    { ...chat, prediction: { type: 'content', content: [{ prompt_cache_breakpoint: { ttl: '12h' } }] } },
    { cacheWrites: '12h' },
  ],
  ['writes for half an hour', CHAT, { ...chat, prompt_cache_options: { ttl: '30m' } }, { cacheWrites: 'none' }],
  [
    'a stored preset',
    'openrouter/chat/completions',
    { ...chat, preset: 'a' },
    { anyModel: true, work: { unbounded: 'preset, which may add tools' } },
  ],
  [
    'answers of an unsaid kind elsewhere',
    'openrouter/chat/completions',
    chat,
    { media: { audioIn: false, imageIn: false, audioOut: true, imageOut: true }, asked: [], work: bounded(0) },
  ],
  [
    'reasoning in several passes',
    RESPONSES,
    { ...response, reasoning: { mode: 'pro' } },
    { work: { unbounded: 'reasoning.mode' } },
  ],
  [
    'a namespace in a namespace',
    RESPONSES,
    { ...response, tools: [{ type: 'namespace', tools: [{ type: 'namespace', tools: [{ type: 'web_search' }] }] }] },
    { work: { unbounded: 'tools[].tools[].tools' } },
  ],
  [
    'searches that claim to run at the client’s',
    RESPONSES,
    { ...response, tools: [{ type: 'web_search', execution: 'client' }] },
    { work: { unbounded: 'tools[].web_search without max_tool_calls' } },
  ],
  ['a kind of item that is no text', RESPONSES, items({ type: 7, role: 'user', id: 'msg_1' }), { beyondBody: true }],
  [
    'long sealed reasoning',
    RESPONSES,
    items({ type: 'reasoning', summary: [], encrypted_content: BASE64.repeat(9) }),
    { beyondBody: false },
  ],
  [
    'embeddings of a picture',
    'openrouter/embeddings',
    { model: 'a', input: [{ content: [{ type: 'image_url', image_url: { url: 'https://a.example/b.png' } }] }] },
    { beyondBody: true, listedWindows: 1 },
  ],
  [
    'embeddings of two pictures, one of them in a list of its own',
    'openrouter/embeddings',
    { model: 'a', input: ['a', { image: 'https://a.example/b.png' }, [{ image: 'https://a.example/c.png' }]] },
    { beyondBody: true, listedWindows: 2, media: { audioIn: true, imageIn: true, audioOut: false, imageOut: false } },
  ],
  [
    'embeddings of lists of tokens',
    'openrouter/embeddings',
    { model: 'a', input: [[1, 2], [3]] },
    { beyondBody: false, listedWindows: 0 },
  ],

  // Content that a compatible provider may read for a fee per page
  ...[
    { type: 'file', more: { file: { filename: 'a.pdf', file_data: 'https://files.example/a.pdf' } } },
    { type: 'file', more: { file: { file_id: 'file-1' } } },
    { type: 'document_url', more: { document_url: 'https://files.example/a.pdf' } },
  ].flatMap(({ type, more }): Case[] =>
    ['openrouter/chat/completions', 'xai/chat/completions', 'mistral/chat/completions'].map((address) => [
      `a ${type} part that may be read for a fee`,
      address,
      { model: 'a', max_tokens: 10, messages: [{ role: 'user', content: [{ type, ...more }] }] },
      { work: { unbounded: `content[].${type}, which the provider may read for a fee per page` } },
    ]),
  ),
  [
    'a file within another part, which may be read for a fee',
    'openrouter/chat/completions',
    {
      model: 'a',
      max_tokens: 10,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'x', content: [{ type: 'file' }] }] }],
    },
    { work: { unbounded: 'content[].file, which the provider may read for a fee per page' } },
  ],
  [
    'a video by its address, which is charged as tokens',
    'openrouter/chat/completions',
    {
      model: 'a',
      max_tokens: 10,
      messages: [{ role: 'user', content: [{ type: 'video_url', video_url: { url: 'https://files.example/a.mp4' } }] }],
    },
    { work: bounded(0), beyondBody: true },
  ],

  // Fields that the gateway doesn't know
  ...[
    { address: RESPONSES, body: response },
    { address: ANTHROPIC, body: messages },
    { address: GOOGLE, body: contents },
  ].flatMap(({ address, body }): Case[] => [
    [
      'a field of tomorrow',
      address,
      { ...body, sub_agents: { max: 100 } },
      { work: { unbounded: 'sub_agents, an unknown field' } },
    ],
    [
      'a field of tomorrow with an empty name',
      address,
      { ...body, '': 0 },
      { work: { unbounded: ', an unknown field' } },
    ],
    [
      'a field of tomorrow that is off',
      address,
      { ...body, sub_agents: null, more_agents: false },
      { work: bounded(0) },
    ],
  ]),
  ...['openai/v1/chat/completions', 'openrouter/chat/completions', 'groq/chat/completions'].map((address): Case => [
    'a field of tomorrow',
    address,
    { model: 'a', messages: [], temperature: 1, sub_agents: { max: 100 } },
    { work: { unbounded: 'sub_agents, an unknown field' } },
  ]),
  [
    'a field of tomorrow for embeddings',
    'openai/embeddings',
    { model: 'a', input: 'b', dimensions: 3, sub_agents: 2 },
    { work: { unbounded: 'sub_agents, an unknown field' } },
  ],
  [
    'a field of tomorrow in the settings of the answer',
    GOOGLE,
    { ...contents, generationConfig: { temperature: 1, top_p: 1, sub_agents: {} } },
    { work: { unbounded: 'generationConfig.sub_agents, an unknown field' } },
  ],
  [
    'a field of one provider at another',
    'groq/chat/completions',
    { model: 'a', messages: [], safe_prompt: true },
    { work: { unbounded: 'safe_prompt, an unknown field' } },
  ],
  ...Object.entries({
    'openai/v1/chat/completions': { temperature: 1, tool_choice: 'auto', stop: [], verbosity: 'low', store: true },
    'openrouter/chat/completions': {
      route: 'fallback',
      transforms: ['middle-out'],
      usage: { include: true },
      reasoning: { effort: 'low' },
      include_reasoning: true,
      verbosity: 'low',
      min_p: 0.1,
      repetition_penalty: 1.1,
      provider: { sort: 'price' },
    },
    'groq/chat/completions': { reasoning_format: 'parsed', citation_options: 'enabled', disable_tool_validation: true },
    'mistral/chat/completions': { random_seed: 1, safe_prompt: true, prompt_mode: 'reasoning' },
    'mistral/embeddings': { input: ['a'], output_dimension: 256, output_dtype: 'float' },
    'deepseek/chat/completions': { thinking: { type: 'enabled' }, reasoning_effort: 'high' },
    'xai/chat/completions': { reasoning_effort: 'high', user: 'a' },
    'together/chat/completions': { top_k: 5, context_length_exceeded_behavior: 'truncate' },
    'vllm/chat/completions': { guided_json: {}, chat_template_kwargs: { thinking: true } },
  }).map(([address, fields]): Case => [
    'what clients send to this provider',
    address,
    { model: 'a', ...(address.endsWith('embeddings') ? {} : { messages: [] }), ...fields },
    { work: bounded(0) },
  ]),
  [
    'several agents',
    RESPONSES,
    { ...response, multi_agent: { enabled: true } },
    { work: { unbounded: 'multi_agent' } },
  ],
  [
    'what Codex sends',
    RESPONSES,
    {
      ...response,
      store: false,
      include: ['reasoning.encrypted_content'],
      prompt_cache_key: 'a',
      client_metadata: { session_id: 'b' },
    },
    { work: bounded(0) },
  ],

  // OpenAI, responses
  [
    'a plain response',
    RESPONSES,
    { ...response, max_output_tokens: 0 },
    { outputMax: null, work: bounded(0), pinTier: 'default' },
  ],
  [
    'a picture in a response',
    RESPONSES,
    items({ role: 'user', content: [{ type: 'input_image', image_url: `data:image/png;base64,${BASE64}` }] }),
    {
      mediaTokens: 1_445,
      beyondBody: false,
      textBytes: length(items({ role: 'user', content: [{ type: 'input_image', image_url: '' }] })),
    },
  ],
  [
    'a screen',
    RESPONSES,
    items({
      type: 'computer_call_output',
      output: { type: 'computer_screenshot', image_url: 'data:image/png;base64,AAAA' },
    }),
    { mediaTokens: 1_445, beyondBody: false },
  ],
  [
    'a picture from a function',
    RESPONSES,
    items({ type: 'function_call_output', output: [{ type: 'input_image', file_id: 'file_1' }] }),
    { mediaTokens: 1_445, beyondBody: false },
  ],
  [
    'a file in a response',
    RESPONSES,
    items({ role: 'user', content: [{ type: 'input_file', file_data: BASE64 }] }),
    { beyondBody: true },
  ],
  ['an item by its id', RESPONSES, items({ id: 'msg_1' }), { beyondBody: true }],
  [
    'sealed reasoning',
    RESPONSES,
    items({ type: 'reasoning', summary: [], encrypted_content: BASE64 }),
    { beyondBody: false },
  ],
  ['reasoning by its id', RESPONSES, items({ type: 'reasoning', id: 'rs_1', summary: [] }), { beyondBody: true }],
  [
    'functions called and answered',
    RESPONSES,
    items({ type: 'function_call', arguments: '{}' }, { type: 'function_call_output', output: 'a' }),
    { beyondBody: false },
  ],
  ['an earlier response', RESPONSES, { ...response, previous_response_id: 'resp_1' }, { beyondBody: true }],
  ['a conversation', RESPONSES, { ...response, conversation: 'conv_1' }, { beyondBody: true }],
  [
    'a stored prompt',
    RESPONSES,
    { ...response, prompt: { id: 'pmpt_1' } },
    { beyondBody: true, work: { unbounded: 'prompt, which may add tools' } },
  ],
  [
    'client tools',
    RESPONSES,
    {
      ...response,
      tools: [
        { type: 'function', name: 'a' },
        { type: 'namespace', tools: [{ type: 'custom' }] },
        { type: 'shell', environment: { type: 'local' } },
      ],
    },
    { work: bounded(0) },
  ],
  [
    'a breakpoint of a text for twelve hours',
    RESPONSES,
    items({ role: 'user', content: [{ type: 'input_text', text: 'a', prompt_cache_breakpoint: { ttl: '12h' } }] }),
    { cacheWrites: '12h' },
  ],
  [
    'a breakpoint of a screenshot for twelve hours',
    RESPONSES,
    items({
      type: 'computer_call_output',
      output: { type: 'computer_screenshot', image_url: 'data:,', prompt_cache_breakpoint: { ttl: '12h' } },
    }),
    { cacheWrites: '12h' },
  ],
  [
    'tools of the provider',
    RESPONSES,
    { ...response, max_tool_calls: 4, tools: [{ type: 'web_search' }, { type: 'file_search' }] },
    { work: looped(4, null, { webSearch: 4, fileSearch: 4 }) },
  ],
  [
    'tools without an end',
    RESPONSES,
    { ...response, tools: [{ type: 'web_search_preview_2025_03_11' }] },
    { work: { unbounded: 'tools[].web_search_preview_2025_03_11 without max_tool_calls' } },
  ],
  [
    'tools that an item brings',
    RESPONSES,
    {
      ...items({ type: 'additional_tools', role: 'developer', tools: [{ type: 'code_interpreter' }] }),
      max_tool_calls: 1,
    },
    { work: looped(1, null, { codeInterpreter: 1 }) },
  ],
  [
    'a tool in a namespace',
    RESPONSES,
    { ...response, tools: [{ type: 'namespace', tools: [{ type: 'web_search' }] }] },
    { work: { unbounded: 'tools[].web_search without max_tool_calls' } },
  ],
  [
    'tools with a price of their own',
    RESPONSES,
    { ...response, max_tool_calls: 1, tools: [{ type: 'image_generation' }] },
    { work: { unbounded: 'tools[].image_generation' } },
  ],
  [
    'a server’s tools',
    RESPONSES,
    { ...response, max_tool_calls: 1, tools: [{ type: 'mcp', server_url: 'https://a.example' }] },
    { work: { unbounded: 'tools[].mcp' } },
  ],
  [
    'a shell of the provider’s',
    RESPONSES,
    { ...response, tools: [{ type: 'shell' }] },
    { work: { unbounded: 'tools[].shell without max_tool_calls' } },
  ],
  [
    'a context that is shortened',
    RESPONSES,
    { ...response, context_management: [{ type: 'compaction' }] },
    { work: { unbounded: 'context_management[] without compact_threshold' } },
  ],
  [
    'a context that is shortened where the answer or a tool makes it grow',
    RESPONSES,
    {
      ...response,
      max_output_tokens: 50_000,
      max_tool_calls: 2,
      tools: [{ type: 'tool_search' }],
      context_management: [{ type: 'compaction', compact_threshold: 20_000 }],
    },
    { work: looped(2, null, {}, 1 + 2 + 5) },
  ],
  [
    'a summary in place of an answer',
    ANTHROPIC,
    { ...messages, compaction: { type: 'summarize' } },
    { work: bounded(1) },
  ],

  [
    'embeddings, whose inputs have a window each',
    'openai/embeddings',
    { model: 'text-embedding-3-small', input: ['a'] },
    { outputMax: 0, listedWindows: 0, textBytes: length({ model: 'text-embedding-3-small', input: ['a'] }) },
  ],
];

describe('a demand', () => {
  test.each(CASES)('%s (%s)', (_name, address, body, demand) => {
    expect(readBody(address, body).demand).toMatchObject(demand);
  });

  test('leaves a record of one body out of the next', () => {
    const written = said({ ...picture, cache_control: long });
    expect(readBody(ANTHROPIC, written).demand.cacheWrites).toBe('1h');
    expect(() => readBody(ANTHROPIC, JSON.stringify(written).slice(0, -20))).toThrow('cut off');
    expect(readBody(ANTHROPIC, said({ type: 'text', text: 'a' })).demand).toMatchObject({
      cacheWrites: 'none',
      mediaTokens: 0,
    });
  });
});

describe('a body that parsers may read differently', () => {
  const twice = (body: unknown, name: string, json: string): string =>
    JSON.stringify(body).replace(`"${name}":`, `"${name}":${json},"${name}":`);
  const written = (body: unknown, name: string, other: string): string =>
    JSON.stringify(body).replace(`"${name}":`, `"${other}":`);
  const tool = { ...messages, tools: [{ ...search, max_uses: 3 }] };

  test.each<[string, string, unknown, string]>([
    ['two maxima', ANTHROPIC, twice(messages, 'max_tokens', '1'), 'max_tokens'],
    ['two kinds of a part', ANTHROPIC, twice(said(picture), 'type', '"text"'), 'type'],
    ['two sources', ANTHROPIC, twice(said(picture), 'source', '{}'), 'source'],
    ['two data', ANTHROPIC, twice(said(picture), 'data', '""'), 'source.data'],
    ['two ends of a tool', ANTHROPIC, twice(tool, 'max_uses', '1'), 'max_uses'],
    ['an end in another spelling', ANTHROPIC, written(tool, 'max_uses', 'maxUses'), 'max_uses'],
    ['an end in capitals', ANTHROPIC, written(tool, 'max_uses', 'MAX_USES'), 'max_uses'],
    ['an end with a long s', ANTHROPIC, written(tool, 'max_uses', 'max_u\u017fes'), 'max_uses'],
    ['an end with an escaped long s', ANTHROPIC, written(tool, 'max_uses', 'max_u\\u017fes'), 'max_uses'],
    ['a maximum with a Kelvin sign', ANTHROPIC, written(messages, 'max_tokens', 'max_to\u212aens'), 'max_tokens'],
    [
      'an escaped second end',
      ANTHROPIC,
      JSON.stringify(tool).replace('"max_uses":3', '"max_uses":3,"m\\u0061x_uses":9'),
      'max_uses',
    ],
    ['two lists of tools', ANTHROPIC, twice(tool, 'tools', '[]'), 'tools'],
    ['two lists of messages', ANTHROPIC, twice(messages, 'messages', '[]'), 'messages'],
    ['two contents of a message', ANTHROPIC, twice(messages, 'content', '""'), 'content'],
    [
      'two lives of a write',
      ANTHROPIC,
      said({ type: 'text', cache_control: long }) &&
        JSON.stringify(said({ type: 'text', cache_control: long })).replace('"ttl":"1h"', '"ttl":"5m","ttl":"1h"'),
      'cache_control.ttl',
    ],
    [
      'two models of an advisor',
      ANTHROPIC,
      '{"model":"a","tools":[{"type":"advisor_20260301","model":"b","model":"c","max_uses":1}]}',
      'model',
    ],
    [
      'two maxima of a fallback',
      ANTHROPIC,
      '{"model":"a","fallbacks":[{"model":"b","max_tokens":1,"max_tokens":9}]}',
      'max_tokens',
    ],
    ['two speeds', ANTHROPIC, twice({ ...messages, speed: 'fast' }, 'speed', '"standard"'), 'speed'],
    [
      'two spellings of a picture',
      GOOGLE,
      '{"contents":[{"parts":[{"inlineData":{},"inline_data":{}}]}]}',
      'inlineData',
    ],
    [
      'two spellings of its data',
      GOOGLE,
      '{"contents":[{"parts":[{"inlineData":{"mimeType":"a","mime_type":"b"}}]}]}',
      'inlineData.mimeType',
    ],
    ['two spellings of a tool', GOOGLE, '{"tools":[{"googleSearch":{},"google_search":{}}]}', 'googleSearch'],
    [
      'two counts of answers',
      GOOGLE,
      '{"generationConfig":{"candidateCount":1,"candidate_count":8}}',
      'generationConfig.candidateCount',
    ],
    ['two counts of a chat', CHAT, twice({ ...chat, n: 2 }, 'n', '1'), 'n'],
    ['two tools of a response', RESPONSES, '{"model":"a","tools":[{"type":"function","type":"web_search"}]}', 'type'],
    [
      'two ends of a response’s tools',
      RESPONSES,
      '{"model":"a","max_tool_calls":1,"MaxToolCalls":9}',
      'max_tool_calls',
    ],
    ['half an answer', CHAT, { ...chat, n: 1.5 }, 'n'],
    ['answers beyond all numbers', CHAT, JSON.stringify({ ...chat, n: 2 }).replace('"n":2', '"n":1e308'), 'n'],
    ['more answers than anybody gives', CHAT, { ...chat, n: 10_001 }, 'n'],
    [
      'less than no answer',
      GOOGLE,
      { ...contents, generationConfig: { candidateCount: -1 } },
      'generationConfig.candidateCount',
    ],
    ['answers in words', CHAT, { ...chat, n: 'two' }, 'n'],
    ['settings in a list', GOOGLE, { ...contents, generationConfig: [{ candidateCount: 8 }] }, 'generationConfig'],
    ['a tool that is a word', GOOGLE, { ...contents, tools: ['googleSearch'] }, 'tools'],
    ['tools that are a word', RESPONSES, { ...response, tools: 'web_search' }, 'tools'],
    ['a tool in a list in a list', RESPONSES, { ...response, tools: [[{ type: 'web_search' }]] }, 'tools'],
    ['a word among fallbacks', ANTHROPIC, { ...messages, fallbacks: [{ model: 'a' }, 'claude-fable-5'] }, 'fallbacks'],
    ['parts in a list in a list', GOOGLE, { contents: [{ parts: [[{ inlineData: {} }]] }] }, 'parts'],
    ['an answer that comes later', 'xai/chat/completions', { ...chat, deferred: true }, 'deferred'],
  ])('is refused: %s', (_name, address, body, param) => {
    expect(readRefusal(address, body)).toBe(`invalid ${param}`);
  });

  test.each<[string, string, unknown]>([
    [
      'a tool’s arguments',
      ANTHROPIC,
      '{"model":"a","messages":[{"content":[{"type":"tool_use","input":{"type":1,"type":2,"maxUses":3}}]}]}',
    ],
    ['a schema', ANTHROPIC, '{"model":"a","tools":[{"name":"b","input_schema":{"MAX_USES":1,"max_uses":2}}]}'],
    [
      'a function’s answer',
      GOOGLE,
      '{"contents":[{"parts":[{"functionResponse":{"response":{"inlineData":1,"inline_data":2}}}]}]}',
    ],
    ['other people’s fields', CHAT, '{"model":"a","messages":[],"x":{"n":1,"N":2}}'],
  ])('is accepted where it means nothing: %s', (_name, address, body) => {
    expect(readRefusal(address, body)).toBeNull();
  });
});

test.each([
  [
    'musical symbols, which normalize to three characters',
    CHAT,
    { messages: [{ role: 'user', content: '\u{1d160}'.repeat(100) }] },
    800,
  ],
  ['a ligature of eighteen letters', 'openai/embeddings', { input: '\ufdfa'.repeat(100) }, 3_000],
  ['ordinary letters', CHAT, { messages: [{ role: 'user', content: 'äöü – 你好' }] }, 0],
] as const)('%s count with the bytes that a tokenizer may see', (_name, address, body, more) => {
  const text = JSON.stringify({ model: 'some', ...body });
  expect(readBody(address, text).demand.textBytes).toBe(Buffer.byteLength(text) + more);
});

const enumTool = (values: unknown) => ({ type: 'function', function: { name: 'f', parameters: { enum: values } } });
const ONES = Array.from({ length: 1_000 }, () => 1);
const OPEN_CHAT = 'together/v1/chat/completions';
const tooled = (more: object) => ({ model: 'some', messages: [{ role: 'user', content: 'Hi' }], ...more });

/** JSON as the chat template of Llama 3.1 writes it, each line's end and each run of up to sixteen spaces a token. */
function indentedTokens(value: unknown): number {
  const text = JSON.stringify(value, null, 4);
  return text.replaceAll(/ {1,16}/g, ' ').length;
}

function nest(depth: number): unknown {
  return depth === 0 ? 1 : [nest(depth - 1)];
}

test.each([
  ['a list of numbers', [enumTool(ONES)]],
  ['lists in lists', Array.from({ length: 10 }, () => enumTool(nest(200)))],
  ['empty lists and objects', [enumTool([[], {}, '', { a: [] }])]],
  ['many members', [enumTool(Object.fromEntries(ONES.map((_, at) => [at, at])))]],
])('tools of %s are bounded as templates indent them', (_name, tools) => {
  const { textBytes } = readBody(OPEN_CHAT, tooled({ tools })).demand;
  expect(textBytes).toBeGreaterThanOrEqual(indentedTokens(tools));
});

test('arguments of tools are bounded with the markup that templates put around each', () => {
  const parameters = Object.fromEntries(ONES.map((_, at) => [at, 1]));
  const call = { id: 'a', type: 'function', function: { name: 'f', arguments: JSON.stringify(parameters) } };
  const body = tooled({ messages: [{ role: 'assistant', tool_calls: [call] }] });
  // Around the digits of each name: `<`, `parameter`, `=`, `>`, the value, and as many at its end.
  const markupTokens = Object.keys(parameters).reduce((sum, name) => sum + name.length + 9, 0);
  expect(readBody(OPEN_CHAT, body).demand.textBytes).toBeGreaterThan(markupTokens);
});

test.each([
  [
    'the description of a tool',
    (text: string) => tooled({ tools: [{ type: 'function', function: { name: 'f', description: text } }] }),
  ],
  [
    'the result of a tool',
    (text: string) => tooled({ messages: [{ role: 'tool', tool_call_id: 'a', content: text }] }),
  ],
  ['a variable of the template', (text: string) => tooled({ chat_template_kwargs: { custom_tools: [text] } })],
])('characters that JSON writers escape count as escapes in %s', (_name, body) => {
  expect(readBody(OPEN_CHAT, body("<>&'".repeat(1_000))).demand.textBytes).toBeGreaterThan(24_000);
  expect(readBody(OPEN_CHAT, body('ä'.repeat(1_000))).demand.textBytes).toBeGreaterThan(6_000);
});

test('numbers with an exponent count as written out', () => {
  const body = JSON.stringify(tooled({ tools: [enumTool(['N'])] })).replace('"N"', '1e20,'.repeat(1_000) + '1');
  expect(readBody(OPEN_CHAT, body).demand.textBytes).toBeGreaterThan(21_000);
});

test('tools too large to read once more are bounded by the window', () => {
  const tools = [enumTool('x'.repeat(1_100_000))];
  expect(readBody(OPEN_CHAT, tooled({ tools })).demand.beyondBody).toBe(true);
});

test.each([ANTHROPIC, CHAT, RESPONSES, GOOGLE])('values in tools of %s count with a separator', (address) => {
  const body = {
    [ANTHROPIC]: { ...messages, tools: [{ name: 'f', input_schema: { enum: ONES } }] },
    [CHAT]: { ...chat, tools: [enumTool(ONES)] },
    [RESPONSES]: { ...response, tools: [{ type: 'function', name: 'f', parameters: { enum: ONES } }] },
    [GOOGLE]: { ...contents, tools: [{ functionDeclarations: [{ name: 'f', parametersJsonSchema: { enum: ONES } }] }] },
  }[address];
  expect(readBody(address, body).demand.textBytes).toBeGreaterThan(length(body) + ONES.length);
});

test('requests without tools count their bytes alone', () => {
  expect(readBody(OPEN_CHAT, tooled({})).demand.textBytes).toBe(length(tooled({})));
});

test.each([
  ['a member of a message that no server documents', { role: 'user', content: 'Hi', images: ['https://a/b.png'] }],
  ['a member of a part', { role: 'user', content: [{ type: 'text', text: 'Hi', video: { url: 'https://a/b.mp4' } }] }],
  ['a picture in a text', { role: 'user', content: [{ type: 'text', text: 'Hi', image_url: { url: 'https://a' } }] }],
])('%s may refer to anything', (_name, message) => {
  expect(readBody(OPEN_CHAT, tooled({ messages: [message] })).demand).toMatchObject({
    beyondBody: true,
    media: { audioIn: true, imageIn: true },
  });
});

test('a file or sound within a text counts as one', () => {
  const part = { type: 'text', text: 'Hi', file: { file_data: 'x' } };
  expect(readBody(OPEN_CHAT, tooled({ messages: [{ role: 'user', content: [part] }] })).demand.work.unbounded).toMatch(
    /content\[\]\.file/,
  );
  const heard = { type: 'text', text: 'Hi', input_audio: { data: 'x' } };
  expect(readBody(OPEN_CHAT, tooled({ messages: [{ role: 'user', content: [heard] }] })).demand.asked).toEqual([
    'inputAudio',
  ]);
});

test('members that clients send with messages and parts refer to nothing', () => {
  const sent = [
    { role: 'assistant', content: 'Hi', refusal: null, annotations: [], audio: null, reasoning_content: 'Hm', id: 'a' },
    { role: 'tool', tool_call_id: 'a', name: 'f', content: [{ type: 'text', text: 'Hi', id: 'a' }] },
  ];
  expect(readBody(OPEN_CHAT, tooled({ messages: sent })).demand).toMatchObject({ beyondBody: false, asked: [] });
});

test.each([
  ['openrouter', 'qwen/qwen3.6-plus', 81_920],
  ['openrouter', 'qwen/qwen-plus-2025-07-28:thinking', 81_920],
  ['openrouter', 'qwen/qwen3-coder-plus', 0],
  ['openrouter', 'qwen/qwen-2.5-72b-instruct', 0],
  ['openrouter', 'deepseek/deepseek-r1', 0],
  ['together', 'Qwen/Qwen3-235B-A22B-Thinking-2507', 0],
])('at %s, %s may think %i tokens beyond the maximum', (provider, model, thoughtTokens) => {
  const body = { model, max_tokens: 64, messages: [] };
  expect(readBody(`${provider}/v1/chat/completions`, body).demand.thoughtTokens).toBe(thoughtTokens);
});

test('a fallback model may think beyond the maximum too, and so may any model at Alibaba', () => {
  const body = { model: 'a/b', models: ['qwen/qwen3.6-plus'], max_tokens: 64, messages: [] };
  expect(readBody('openrouter/v1/chat/completions', body).demand.thoughtTokens).toBe(81_920);
  const url = 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1';
  const provider = customProvider({ id: 'own', name: 'Own', url, priceProvider: null });
  expect(readFacts(provider, '/chat/completions', { ...body, models: null }).demand.thoughtTokens).toBe(81_920);
});

test.each([
  [{ max_tokens: 2_000 }, 2_000],
  [{ max_tokens: '2000' }, Number.MAX_SAFE_INTEGER],
  [{ effort: 'high' }, 0],
])('a thinking budget of %j at a router lifts output maxima up to it', (reasoning, liftsMaxUpTo) => {
  const body = { model: 'anthropic/claude-haiku-4.5', max_tokens: 64, messages: [], reasoning };
  expect(readBody('openrouter/v1/chat/completions', body).demand.liftsMaxUpTo).toBe(liftsMaxUpTo);
});

test.each([
  [{ chat_template: '{% for i in range(100000) %}Hi {% endfor %}' }, true],
  [{ enable_thinking: false, custom_tools: [{ chat_template: 'a' }] }, false],
])('variables %j of a template may make any prompt: %s', (chat_template_kwargs, beyondBody) => {
  expect(readBody(OPEN_CHAT, tooled({ chat_template_kwargs })).demand.beyondBody).toBe(beyondBody);
});
