import { NO_DEMAND } from '../../core/demand.ts';
import { TollbookError } from '../../core/errors.ts';
import { scanPlan } from '../../lib/json-scan-plan.ts';
import type { InferenceRoute, RequestFacts, Splice } from '../provider.ts';
import { inferenceRoute, type RequestBody } from '../request-body.ts';
import { openChatReader } from './chat-answer.ts';
import { openResponseReader } from './response-answer.ts';

/** Role marks and the words around tools. */
const PREAMBLE_TOKENS_MAX = 2_048;

/** Media, references, and tools that the provider runs itself and whose results become input. */
const UNBOUNDED = {
  type: [
    'image_url',
    'input_audio',
    'file',
    'input_image',
    'input_file',
    'item_reference',
    'file_search',
    'web_search*',
    'code_interpreter',
    'computer*',
    'mcp',
    'shell',
    'image_generation',
  ],
};

const CHAT = scanPlan(
  {
    model: {},
    messages: {},
    stream: {},
    stream_options: { include_usage: {} },
    max_tokens: {},
    max_completion_tokens: {},
    n: {},
    service_tier: {},
    modalities: {},
    tools: {},
    web_search_options: {},
    search_parameters: {},
    plugins: {},
  },
  UNBOUNDED,
);

/** Features of chat completions whose fees the answer does not tell. */
const UNMETERED_SEARCH = ['web_search_options', 'search_parameters', 'plugins'];

const RESPONSES = scanPlan(
  {
    model: {},
    input: {},
    stream: {},
    background: {},
    max_output_tokens: {},
    max_tool_calls: {},
    service_tier: {},
    tools: {},
    previous_response_id: {},
    conversation: {},
    prompt: {},
  },
  UNBOUNDED,
);

const EMBEDDINGS = scanPlan({ model: {}, input: {}, service_tier: {} }, {});

/** What differs between providers of this form. */
export interface ChatForm {
  /** Path prefix below the provider's address, for instance `/v1`. */
  readonly prefix: string;
  /** A stream tells its usage only when `include_usage` asks for it. */
  readonly includeUsage: boolean;
}

export function chatRoute({ prefix, includeUsage }: ChatForm): InferenceRoute {
  return inferenceRoute('chat.completions', CHAT, (body) => {
    const search = UNMETERED_SEARCH.find((name) => body.uses(name));
    if (search) throw unmetered(search, 'the answer of chat completions does not tell what it costs');
    const stream = body.isTrue('stream');
    const splice = stream && includeUsage ? askForUsage(body) : null;
    const splices = splice ? [splice] : [];
    return {
      ...factsOf(body, `${prefix}/chat/completions`, stream),
      splices,
      demand: {
        ...NO_DEMAND,
        textBytes: body.bytes.length,
        preambleTokens: PREAMBLE_TOKENS_MAX,
        beyondBody: body.notes(),
        outputMax: chatOutputMax(body),
        answers: Math.max(1, body.count('n') ?? 1),
      },
      forward: () => splices,
      openReader: (answer) => openChatReader(splice !== null, answer),
    };
  });
}

export function responsesRoute(prefix: string): InferenceRoute {
  return inferenceRoute('responses', RESPONSES, (body) => {
    if (body.uses('background'))
      throw unmetered('background', 'its usage arrives in another answer; send the request without it');
    return {
      ...factsOf(body, `${prefix}/responses`, body.isTrue('stream')),
      demand: {
        ...NO_DEMAND,
        textBytes: body.bytes.length,
        preambleTokens: PREAMBLE_TOKENS_MAX,
        beyondBody: body.notes() || ['previous_response_id', 'conversation', 'prompt'].some((name) => body.uses(name)),
        outputMax: positive(body.count('max_output_tokens')),
      },
      forward: () => [],
      openReader: openResponseReader,
    };
  });
}

export function embeddingsRoute(prefix: string): InferenceRoute {
  return inferenceRoute('embeddings', EMBEDDINGS, (body) => ({
    ...factsOf(body, `${prefix}/embeddings`, false),
    demand: { ...NO_DEMAND, textBytes: body.bytes.length, preambleTokens: PREAMBLE_TOKENS_MAX, outputMax: 0 },
    forward: () => [],
    openReader: (answer) => openChatReader(false, answer),
  }));
}

function factsOf(
  body: RequestBody,
  upstreamPath: string,
  stream: boolean,
): Omit<RequestFacts, 'demand' | 'forward' | 'openReader'> {
  return { upstreamPath, model: body.model(), stream, splices: [], counter: null };
}

/** With both maxima present the larger one bounds. */
function chatOutputMax(body: RequestBody): number | null {
  const maxima = [body.count('max_tokens'), body.count('max_completion_tokens')];
  return positive(Math.max(...maxima.map((count) => count ?? 0)));
}

/** The edit that makes a stream tell its usage; null = the client asks for it already. */
function askForUsage(body: RequestBody): Splice | null {
  const asked = body.find('stream_options.include_usage');
  if (asked) {
    return body.isTrue('stream_options.include_usage') ? null : { start: asked.start, end: asked.end, text: 'true' };
  }
  const options = body.find('stream_options');
  if (!options) return body.insert(body.brace, 'stream_options', '{"include_usage":true}');
  if (body.bytes[options.start] === 0x7b) return body.insert(options.start, 'include_usage', 'true');
  return { start: options.start, end: options.end, text: '{"include_usage":true}' };
}

function positive(count: number | null): number | null {
  return count === null || count === 0 ? null : count;
}

function unmetered(param: string, why: string): TollbookError {
  return new TollbookError('invalid', `"${param}" is not served here: ${why}.`, param);
}
