import { describe, expect, test } from 'vitest';
import { TollbookError } from '../domain/errors.ts';
import type { RequestFacts } from './provider.ts';
import { buildProviders } from './providers.ts';

const providers = buildProviders({ urls: {}, custom: [] });

type Facts = Pick<RequestFacts, 'upstreamPath' | 'model' | 'stream'> & {
  readonly outputMax: number | null;
  readonly answers: number;
  readonly beyondBody: boolean;
  readonly unbounded: string | null;
  readonly images: number;
  readonly sent: unknown;
};

/** What a request comes to: its route, its facts and the body that goes upstream; or why it is refused. */
function outcome(method: string, address: string, body?: unknown): unknown {
  const [id = '', ...rest] = address.split('/');
  const route = providers.get(id)?.route(method, rest.length > 0 ? `/${rest.join('/')}` : '');
  if (!route || route.kind === 'none') return route?.status;
  if (route.kind === 'socket') return `socket ${route.upstreamPath}`;
  if (route.kind === 'batch') return `batch ${route.upstreamPath}`;
  if (route.kind === 'free') return `free ${route.upstreamPath}`;
  try {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return factsOf(route.readRequest(new TextEncoder().encode(text)), text);
  } catch (error) {
    if (error instanceof TollbookError) return `${error.type} ${error.param ?? ''}`.trim();
    throw error;
  }
}

function factsOf(request: RequestFacts, text: string): Facts {
  const { upstreamPath, model, stream, splices } = request;
  const { outputMax, answers, beyondBody, work, mediaTokens } = request.demand;
  const bytes = Buffer.from(text);
  let body = '';
  let at = 0;
  for (const splice of splices) {
    body += bytes.toString('utf8', at, splice.start) + splice.text;
    at = splice.end;
  }
  const sent: unknown = JSON.parse(body + bytes.toString('utf8', at));
  return {
    upstreamPath,
    model,
    stream,
    outputMax,
    answers,
    beyondBody,
    unbounded: work.unbounded,
    images: mediaTokens,
    sent,
  };
}

const anthropic = { model: 'claude-opus-5', max_tokens: 64, messages: [{ role: 'user', content: 'Hi' }] };
const google = { contents: [{ parts: [{ text: 'Hi' }] }] };
const chat = { model: 'gpt-5.4', messages: [{ role: 'user', content: 'Hi' }] };
const response = { model: 'gpt-5.4', input: 'Hi' };
const asked = { include_usage: true };
const generate = 'google/v1beta/models/gemini-2.5-flash:generateContent';

describe('routes', () => {
  test.each([
    ['POST', 'anthropic/v1/messages/count_tokens', 'free /v1/messages/count_tokens'],
    ['POST', 'anthropic/count_tokens', 'free /v1/messages/count_tokens'],
    ['POST', 'anthropic/v1/messages/count_tokens/', 'free /v1/messages/count_tokens'],
    ['POST', 'anthropic/messages/count_tokens', 'free /v1/messages/count_tokens'],
    ['GET', 'anthropic/messages', 405],
    ['POST', 'anthropic/messages/batches', 'batch /v1/messages/batches'],
    ['GET', 'anthropic/models', 'free /v1/models'],
    ['GET', 'anthropic/models/claude-opus-5', 'free /v1/models/claude-opus-5'],
    ['GET', 'anthropic/v1/models', 'free /v1/models'],
    ['GET', 'anthropic/v1/models/claude-opus-5', 'free /v1/models/claude-opus-5'],
    ['GET', 'anthropic/v1/models/a/b', 404],
    ['GET', 'anthropic', 405],
    ['GET', 'anthropic/v1/messages/count_tokens', 405],
    ['DELETE', 'anthropic/v1/models', 405],
    ['POST', 'anthropic/v1/messages/batches', 'batch /v1/messages/batches'],
    ['GET', 'anthropic/v1/messages/batches', 405],
    ['GET', 'anthropic/v1/messages/batches/msgbatch_1', 'free /v1/messages/batches/msgbatch_1'],
    ['DELETE', 'anthropic/v1/messages/batches/msgbatch_1', 405],
    ['GET', 'anthropic/v1/messages/batches/msgbatch_1/results', 'free /v1/messages/batches/msgbatch_1/results'],
    ['POST', 'anthropic/v1/messages/batches/msgbatch_1/cancel', 'free /v1/messages/batches/msgbatch_1/cancel'],
    ['GET', 'anthropic/v1/messages/batches/msgbatch_1/other', 404],
    ['POST', 'anthropic/v1/messages/batches_of', 404],
    ['POST', 'anthropic/v1/files', 404],
    ['GET', 'anthropic/v1/organizations/cost_report', 404],
    ['POST', 'anthropic/v1/complete', 404],
    ['POST', 'google/v1beta/models/gemini-2.5-flash:countTokens', 'free /v1beta/models/gemini-2.5-flash:countTokens'],
    ['POST', 'google/v1/models/gemini-2.5-flash:countTokens', 'free /v1/models/gemini-2.5-flash:countTokens'],
    ['POST', 'google/models/gemini-2.5-flash:countTokens', 'free /v1beta/models/gemini-2.5-flash:countTokens'],
    ['GET', 'google/models', 'free /v1beta/models'],
    ['POST', 'google/models/a@b:generateContent', 400],
    ['GET', 'google/v1/models', 'free /v1/models'],
    ['GET', 'google/v1beta/models/gemini-2.5-flash', 'free /v1beta/models/gemini-2.5-flash'],
    ['GET', generate, 405],
    ['POST', 'google/v1beta/models/gemini-2.5-flash', 405],
    ['GET', 'google/v1beta/models/gemini-embedding-2:embedContent', 405],
    ['GET', 'google/v1beta/models/gemini-embedding-2:batchEmbedContents', 405],
    ['POST', 'google/v1beta/models/gemini-embedding-2:asyncBatchEmbedContent', 404],
    [
      'POST',
      'google/v1beta/models/gemini-2.5-flash:batchGenerateContent',
      'batch /v1beta/models/gemini-2.5-flash:batchGenerateContent',
    ],
    ['GET', 'google/v1beta/batches/a1', 'free /v1beta/batches/a1'],
    ['POST', 'google/batches/a1:cancel', 'free /v1beta/batches/a1:cancel'],
    ['DELETE', 'google/v1beta/batches/a1', 405],
    ['GET', 'google/v1beta/batches', 404],
    ['POST', 'google/v1alpha/models/gemini-2.5-flash:generateContent', 404],
    ['POST', 'google/v1beta/tunedModels/mine:generateContent', 404],
    ['POST', 'google/v1beta/cachedContents', 404],
    ['PATCH', 'google/v1beta/cachedContents/a', 404],
    ['POST', 'google/upload/v1beta/files', 'free /upload/v1beta/files'],
    ['GET', 'google/v1beta/files/a', 'free /v1beta/files/a'],
    ['GET', 'google/files/a', 'free /v1beta/files/a'],
    ['GET', 'google/v1beta/files', 404],
    ['POST', 'google/v1beta/models/.hidden:generateContent', 400],
    ['POST', 'google/v1beta/models/a@b:generateContent', 400],
    ['POST', 'google/v1beta/models/a:b:generateContent', 404],
    ['GET', 'openai/models', 'free /v1/models'],
    ['GET', 'openai/v1/models/ft:gpt-4o:acme::1', 'free /v1/models/ft:gpt-4o:acme::1'],
    ['POST', 'openai', 404],
    ['POST', 'openai/v1/v1/responses', 404],
    ['POST', 'openai/constructor', 404],
    ['GET', 'openai/images/generations', 405],
    ['POST', 'openai/images/variations', 404],
    ['GET', 'openai/audio/speech', 405],
    ['POST', 'openai/audio/voices', 404],
    ['POST', 'groq/v1/agent', 404],
    ['POST', 'openai/batches', 'batch /v1/batches'],
    ['GET', 'openai/v1/batches', 405],
    ['GET', 'openai/v1/batches/batch_1', 'free /v1/batches/batch_1'],
    ['POST', 'openai/v1/batches/batch_1/cancel', 'free /v1/batches/batch_1/cancel'],
    ['DELETE', 'openai/v1/batches/batch_1', 405],
    ['POST', 'groq/batches', 404],
    ['GET', 'openai/responses', 'socket /v1/responses'],
    ['GET', 'openai/responses/resp_1', 'free /v1/responses/resp_1'],
    ['DELETE', 'openai/v1/responses/resp_1', 'free /v1/responses/resp_1'],
    ['POST', 'openai/v1/responses/resp_1', 405],
    ['GET', 'openai/v1/responses/resp_1/input_items', 'free /v1/responses/resp_1/input_items'],
    ['POST', 'openai/v1/responses/resp_1/cancel', 'free /v1/responses/resp_1/cancel'],
    ['POST', 'openai/v1/responses/input_tokens', 'free /v1/responses/input_tokens'],
    ['GET', 'openai/v1/responses/compact', 405],
    ['POST', 'openai/moderations', 'free /v1/moderations'],
    ['POST', 'openai/v1/files', 'free /v1/files'],
    ['GET', 'openai/v1/files', 405],
    ['GET', 'openai/v1/files/file-1', 'free /v1/files/file-1'],
    ['DELETE', 'openai/v1/files/file-1', 'free /v1/files/file-1'],
    ['GET', 'openai/v1/files/file-1/content', 'free /v1/files/file-1/content'],
    ['POST', 'groq/moderations', 404],
    ['GET', 'groq/files/file-1', 404],
    ['GET', 'openai/completions', 405],
    ['GET', 'groq/responses', 405],
    ['GET', 'groq/v1/models', 'free /models'],
    ['GET', 'together/models/meta-llama/Llama-3', 'free /models/meta-llama/Llama-3'],
  ])('%s %s: %s', (method, address, result) => {
    expect(outcome(method, address, chat)).toBe(result);
  });
});

describe('facts', () => {
  test.each<[string, string, unknown, Partial<Facts>]>([
    [
      'the bare form',
      'anthropic',
      anthropic,
      {
        upstreamPath: '/v1/messages',
        model: 'claude-opus-5',
        stream: false,
        outputMax: 64,
        beyondBody: false,
        sent: anthropic,
      },
    ],
    ['with a slash at its end', 'anthropic/', anthropic, { upstreamPath: '/v1/messages' }],
    [
      "the library's form",
      'anthropic/v1/messages',
      { ...anthropic, stream: true },
      { upstreamPath: '/v1/messages', stream: true },
    ],
    ['a path without a version', 'anthropic/messages', anthropic, { upstreamPath: '/v1/messages' }],
    ['a stream asked for with something else', 'anthropic', { ...anthropic, stream: 'true' }, { stream: false }],
    ['no maximum', 'anthropic', { ...anthropic, max_tokens: null }, { outputMax: null }],
    ['a maximum of 0 that only warms the cache', 'anthropic', { ...anthropic, max_tokens: 0 }, { outputMax: 0 }],
    ['a maximum that is none', 'anthropic', { ...anthropic, max_tokens: '64' }, { outputMax: null }],
    ['a maximum beyond all numbers', 'anthropic', { ...anthropic, max_tokens: 1e300 }, { outputMax: null }],
    [
      'a picture',
      'anthropic',
      { ...anthropic, messages: [{ role: 'user', content: [{ type: 'image', source: {} }] }] },
      { beyondBody: false, images: 4_784 },
    ],
    [
      'a document in a tool result',
      'anthropic',
      { ...anthropic, messages: [{ content: [{ type: 'tool_result', content: [{ type: 'document' }] }] }] },
      { beyondBody: true },
    ],
    [
      'a search tool',
      'anthropic',
      { ...anthropic, tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
      { unbounded: 'tools[].web_search_20250305 without max_uses' },
    ],
    [
      'tools of the client',
      'anthropic',
      {
        ...anthropic,
        tools: [{ name: 'image', input_schema: { type: 'object', properties: { source: { type: 'string' } } } }],
      },
      { beyondBody: false },
    ],
    [
      'servers of the provider',
      'anthropic',
      { ...anthropic, mcp_servers: [{ url: 'https://x.example' }] },
      { unbounded: 'mcp_servers' },
    ],
    ['no container', 'anthropic', { ...anthropic, container: null }, { beyondBody: false }],
    [
      'unknown fields',
      'anthropic',
      { ...anthropic, future: { model: 'x', max_tokens: 1 } },
      { model: 'claude-opus-5', outputMax: 64 },
    ],

    [
      'the model cut out of the bare form',
      'google',
      { model: 'gemini-2.5-flash', ...google },
      {
        upstreamPath: '/v1beta/models/gemini-2.5-flash:generateContent',
        model: 'gemini-2.5-flash',
        stream: false,
        outputMax: null,
        sent: google,
      },
    ],
    ['the model at the end', 'google', { ...google, model: 'gemini-2.5-flash' }, { sent: google }],
    [
      'the model in the middle',
      'google',
      '{ "contents" : [] , "model" : "g" , "tools" : [] }',
      { model: 'g', sent: { contents: [], tools: [] } },
    ],
    ['the model alone', 'google', '{"model":"g"}', { sent: {} }],
    [
      'a name with models/',
      'google',
      { model: 'models/gemini-2.5-flash', ...google },
      { model: 'gemini-2.5-flash', sent: google },
    ],
    [
      "the library's form",
      generate,
      google,
      { upstreamPath: '/v1beta/models/gemini-2.5-flash:generateContent', model: 'gemini-2.5-flash', sent: google },
    ],
    [
      'a path without a version',
      'google/models/g:streamGenerateContent',
      google,
      { upstreamPath: '/v1beta/models/g:streamGenerateContent', model: 'g', stream: true },
    ],
    [
      'a stream',
      'google/v1/models/g:streamGenerateContent',
      google,
      { upstreamPath: '/v1/models/g:streamGenerateContent', stream: true },
    ],
    [
      'the model of the path wins',
      generate,
      { ...google, model: 'other' },
      { model: 'gemini-2.5-flash', sent: { ...google, model: 'other' } },
    ],
    ['a maximum', generate, { ...google, generationConfig: { maxOutputTokens: 100 } }, { outputMax: 100 }],
    [
      'a maximum for each candidate',
      generate,
      { ...google, generation_config: { max_output_tokens: 100, candidate_count: 3 } },
      { outputMax: 100, answers: 3 },
    ],
    [
      'media',
      generate,
      { contents: [{ parts: [{ inlineData: { mimeType: 'image/png', data: '' } }] }] },
      { beyondBody: true },
    ],
    [
      'media spelt the other way',
      generate,
      { contents: [{ parts: [{ file_data: { file_uri: 'x' } }] }] },
      { beyondBody: true },
    ],
    ['cached content', generate, { ...google, cachedContent: 'cachedContents/a' }, { beyondBody: true }],
    ['a search tool', generate, { ...google, tools: [{ googleSearch: {} }] }, { unbounded: 'tools[].googleSearch' }],

    [
      'chat',
      'openai/chat/completions',
      chat,
      {
        upstreamPath: '/v1/chat/completions',
        model: 'gpt-5.4',
        stream: false,
        outputMax: null,
        beyondBody: false,
        sent: chat,
      },
    ],
    ["Perplexity's name of responses", 'perplexity/v1/agent', response, { upstreamPath: '/responses' }],
    ['chat with /v1', 'openai/v1/chat/completions', chat, { upstreamPath: '/v1/chat/completions' }],
    [
      'a stream asks for its usage',
      'openai/chat/completions',
      { ...chat, stream: true },
      { stream: true, sent: { ...chat, stream: true, stream_options: asked } },
    ],
    [
      'a stream that asks already',
      'openai/chat/completions',
      { ...chat, stream: true, stream_options: asked },
      { sent: { ...chat, stream: true, stream_options: asked } },
    ],
    [
      'a stream that asks not to',
      'openai/chat/completions',
      { ...chat, stream: true, stream_options: { include_usage: false } },
      { sent: { ...chat, stream: true, stream_options: asked } },
    ],
    [
      'other stream options',
      'openai/chat/completions',
      { ...chat, stream: true, stream_options: { include_obfuscation: false } },
      { sent: { ...chat, stream: true, stream_options: { ...asked, include_obfuscation: false } } },
    ],
    [
      'empty stream options',
      'openai/chat/completions',
      { ...chat, stream: true, stream_options: {} },
      { sent: { ...chat, stream: true, stream_options: asked } },
    ],
    [
      'null stream options',
      'openai/chat/completions',
      { ...chat, stream: true, stream_options: null },
      { sent: { ...chat, stream: true, stream_options: asked } },
    ],
    [
      'the larger of two maxima, for each answer',
      'openai/chat/completions',
      { ...chat, max_tokens: 10, max_completion_tokens: 20, n: 3 },
      { outputMax: 20, answers: 3 },
    ],
    [
      'a picture',
      'openai/chat/completions',
      { ...chat, messages: [{ content: [{ type: 'image_url', image_url: {} }] }] },
      { beyondBody: true },
    ],
    [
      'a response',
      'openai/responses',
      { ...response, stream: true, max_output_tokens: 9 },
      {
        upstreamPath: '/v1/responses',
        stream: true,
        outputMax: 9,
        sent: { ...response, stream: true, max_output_tokens: 9 },
      },
    ],
    [
      'an earlier response',
      'openai/v1/responses',
      { ...response, previous_response_id: 'resp_1' },
      { beyondBody: true },
    ],
    [
      'none in the background',
      'openai/responses',
      { ...response, background: false, previous_response_id: null },
      { beyondBody: false },
    ],
    [
      'a tool that makes pictures',
      'openai/responses',
      { ...response, tools: [{ type: 'image_generation' }] },
      { unbounded: 'tools[].image_generation' },
    ],
    [
      'a picture made earlier',
      'openai/responses',
      { ...response, model: 'gpt-4o', input: [{ type: 'image_generation_call' }] },
      { unbounded: null, beyondBody: false, images: 1_445 },
    ],
    [
      'embeddings',
      'openai/embeddings',
      { model: 'text-embedding-3-small', input: ['a'] },
      { upstreamPath: '/v1/embeddings', outputMax: 0 },
    ],
    [
      'a compatible provider',
      'groq/v1/chat/completions',
      { ...chat, stream: true },
      { upstreamPath: '/chat/completions', sent: { ...chat, stream: true, stream_options: asked } },
    ],
    [
      'one that refuses stream options',
      'mistral/chat/completions',
      { ...chat, stream: true },
      { sent: { ...chat, stream: true } },
    ],
  ])('%s: %s', (_name, address, body, facts) => {
    expect(outcome('POST', address, body)).toMatchObject(facts);
  });
});

describe('refusals', () => {
  test.each<[string, string, unknown, string]>([
    ['no model', 'anthropic', { max_tokens: 1 }, 'invalid model'],
    ['an empty model', 'openai/responses', { model: '', input: 'x' }, 'invalid model'],
    ['a model that is no text', 'anthropic', { ...anthropic, model: 5 }, 'invalid model'],
    ['a model with a line break', 'anthropic', { ...anthropic, model: 'a\nb' }, 'invalid model'],
    ['an endless model', 'anthropic', { ...anthropic, model: 'a'.repeat(300) }, 'invalid model'],
    [
      'an endless model that is not even read',
      'anthropic',
      { ...anthropic, model: 'a'.repeat(30_000) },
      'invalid model',
    ],
    ['no model in the bare form', 'google', google, 'invalid model'],
    ['a path as model', 'google', { ...google, model: 'models/../../v1/files' }, 'invalid model'],
    ['a method as model', 'google', { ...google, model: 'gemini:countTokens' }, 'invalid model'],
    ['models/ twice', 'google', { ...google, model: 'models/models/g' }, 'invalid model'],
    ['two models', 'anthropic', '{"model":"cheap","model":"dear","max_tokens":1}', 'invalid model'],
    [
      'two maxima',
      'google',
      '{"model":"g","generationConfig":{"maxOutputTokens":1,"max_output_tokens":100000}}',
      'invalid generationConfig.maxOutputTokens',
    ],
    [
      'two settings',
      generate,
      '{"generationConfig":{},"generation_config":{"maxOutputTokens":1}}',
      'invalid generationConfig',
    ],
    [
      'a maximum spelt so that some read it',
      'openai/chat/completions',
      { ...chat, MAX_TOKENS: 1 },
      'invalid max_tokens',
    ],
    [
      'two usages asked for',
      'openai/chat/completions',
      '{"model":"m","stream":true,"stream_options":{"include_usage":true,"include_usage":false}}',
      'invalid stream_options.include_usage',
    ],
    [
      'compaction in the background',
      'openai/responses/compact',
      { ...response, background: true },
      'invalid background',
    ],
    ['work in the background elsewhere', 'groq/responses', { ...response, background: true }, 'invalid background'],
    [
      'searches that are not counted',
      'openai/chat/completions',
      { ...chat, web_search_options: {} },
      'invalid web_search_options',
    ],
    [
      'searches of a compatible provider',
      'xai/chat/completions',
      { ...chat, search_parameters: { mode: 'on' } },
      'invalid search_parameters',
    ],
    ['form data', 'openai/embeddings', 'model=x&input=y', 'invalid'],
  ])('%s: %s', (_name, address, body, refusal) => {
    expect(outcome('POST', address, body)).toBe(refusal);
  });
});
