import { anthropicError, anthropicEvents, anthropicMessage, anthropicModels } from './anthropic.ts';
import type { ResponseFacts } from './facts.ts';
import { googleArrayPieces, googleContent, googleError, googleEvents, googleModels } from './google.ts';
import {
  openaiChat,
  openaiChatEvents,
  openaiEmbeddings,
  openaiError,
  openaiModels,
  openaiResponse,
  openaiResponseEvents,
} from './openai.ts';

export type ProviderName = 'anthropic' | 'google' | 'openai';

/** A request to the sandbox provider. */
export interface SandboxRequest {
  readonly operation: 'messages' | 'generate' | 'chat' | 'responses' | 'embeddings' | 'count' | 'models';
  /** '' where the operation has none. */
  readonly model: string;
  readonly stream: boolean;
  /** Google's streams are a JSON array unless the query asks for events. */
  readonly array: boolean;
  /** OpenAI's chat streams contain their usage only on request. */
  readonly includeUsage: boolean;
  readonly base64: boolean;
}

/** An answer as the pieces in which it leaves. */
export interface SandboxResponse {
  readonly contentType: string;
  readonly pieces: readonly string[];
}

interface AskedBody {
  readonly model?: string;
  readonly stream?: boolean;
  readonly stream_options?: { readonly include_usage?: boolean };
  readonly encoding_format?: string;
}

/** Reads a request; null = the provider has no such route. `path` carries its query. Throws on a body that isn't JSON. */
export function readAsked(provider: ProviderName, method: string, path: string, body: string): SandboxRequest | null {
  const [route = '', query = ''] = path.split('?');
  const blank = { model: '', stream: false, array: false, includeUsage: false, base64: false };
  if (method === 'GET')
    return /^(\/v1|\/v1beta)?\/models(\/[^/]+)?$/.test(route) ? { ...blank, operation: 'models' } : null;
  if (method !== 'POST') return null;
  if (provider === 'google') return readGoogle(route, query);
  const operation = OPERATIONS[provider][route.replace(/^\/v1/, '')];
  if (!operation) return null;
  const asked = JSON.parse(body) as AskedBody;
  return {
    operation,
    model: asked.model ?? '',
    stream: asked.stream === true,
    array: false,
    includeUsage: asked.stream_options?.include_usage === true,
    base64: asked.encoding_format === 'base64',
  };
}

const OPERATIONS: Record<'anthropic' | 'openai', Readonly<Record<string, SandboxRequest['operation']>>> = {
  anthropic: { '/messages': 'messages', '/messages/count_tokens': 'count' },
  openai: {
    '/chat/completions': 'chat',
    '/responses': 'responses',
    '/responses/input_tokens': 'count',
    '/embeddings': 'embeddings',
  },
};

function readGoogle(route: string, query: string): SandboxRequest | null {
  const found = /^\/v1(?:beta)?\/models\/([^/:]+):(generateContent|streamGenerateContent|countTokens)$/.exec(route);
  const [, model, method] = found ?? [];
  if (!model) return null;
  const stream = method === 'streamGenerateContent';
  return {
    operation: method === 'countTokens' ? 'count' : 'generate',
    model,
    stream,
    array: stream && !/(^|&)alt=sse(&|$)/.test(query),
    includeUsage: true,
    base64: false,
  };
}

export function renderAnswer(provider: ProviderName, asked: SandboxRequest, facts: ResponseFacts): SandboxResponse {
  if (asked.operation === 'models') return json(MODEL_LISTS[provider]([facts.model]));
  if (asked.operation === 'count') return json(countAnswer(provider, facts.tokens.input));
  if (asked.operation === 'embeddings') return json(openaiEmbeddings(facts, asked.base64));
  if (!asked.stream) return json(WHOLE[asked.operation](facts));
  if (asked.array) return { contentType: 'application/json', pieces: googleArrayPieces(facts) };
  return { contentType: 'text/event-stream', pieces: EVENTS[asked.operation](facts, asked.includeUsage) };
}

const WHOLE = {
  messages: anthropicMessage,
  generate: googleContent,
  chat: openaiChat,
  responses: openaiResponse,
};

const EVENTS: Record<keyof typeof WHOLE, (facts: ResponseFacts, includeUsage: boolean) => string[]> = {
  messages: anthropicEvents,
  generate: googleEvents,
  chat: openaiChatEvents,
  responses: openaiResponseEvents,
};

const MODEL_LISTS = { anthropic: anthropicModels, google: googleModels, openai: openaiModels };

function countAnswer(provider: ProviderName, tokens: number): object {
  return provider === 'google' ? { totalTokens: tokens, cachedContentTokenCount: 0 } : { input_tokens: tokens };
}

/** An error in the provider's own shape, as text. */
export function renderProviderError(provider: ProviderName, status: number, message: string, id: string): string {
  if (provider === 'anthropic') return JSON.stringify(anthropicError(status, message, id));
  return JSON.stringify(provider === 'google' ? googleError(status, message) : openaiError(status, message));
}

function json(value: object): SandboxResponse {
  return { contentType: 'application/json', pieces: [JSON.stringify(value)] };
}
