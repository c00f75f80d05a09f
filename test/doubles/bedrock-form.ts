import { chunkEvent, event } from './aws-events.ts';
import { isSigned } from './aws-signature.ts';
import type { CloudRequest, VendorForm } from './cloud-double.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Access keys that the cloud knows: id → secret. */
export const AWS_KEYS: Readonly<Record<string, string>> = {
  AKIAIOSFODNN7EXAMPLE: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
};

const PATH = /^\/model\/([^/]+)\/(invoke|invoke-with-response-stream|converse|converse-stream|count-tokens)$/;

/** Translates a request to Bedrock's runtime into that of Anthropic, and refuses what Bedrock refuses. */
export function readBedrock(seen: CloudRequest, url: string): VendorForm {
  const [, model = '', action] = PATH.exec(seen.path) ?? [];
  if (action === undefined) return null;
  if (seen.headers.authorization?.startsWith('Bearer ') !== true && !isSigned(seen, AWS_KEYS))
    return 'The request signature we calculated does not match the signature you provided.';
  if (model.includes(':')) return 'The model identifier is not encoded.';
  const name = decodeURIComponent(model)
    .replace(/^.*anthropic\./, '')
    .replace(/-20\d{6}/, '')
    .replace(/-v\d+(:\d+)?$/, '');
  const body = JSON.parse(seen.body.toString()) as Fields;
  const stream = action.endsWith('stream');
  if (action.startsWith('converse')) return toMessages(url, { ...readConverse(body), model: name, stream });
  if (action === 'count-tokens') return { url: `${url}/v1/messages/count_tokens`, body: '{}' };
  const { anthropic_version: version, anthropic_beta: _beta, ...asked } = body;
  if (typeof version !== 'string') return 'anthropic_version: Field required';
  if ('model' in asked || 'stream' in asked) return 'extraneous key is not permitted';
  const form = toMessages(url, { ...asked, model: name, stream });
  return { ...form, event: chunkEvent, whole: (answer) => answer };
}

function toMessages(url: string, asked: object) {
  return { url: `${url}/v1/messages`, body: JSON.stringify(asked), event: converseEvents(), whole: converseAnswer };
}

function readConverse({ messages, inferenceConfig }: Fields): object {
  const { maxTokens = 64 } = (inferenceConfig ?? {}) as { maxTokens?: number };
  return { messages, max_tokens: maxTokens };
}

interface AnthropicUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_input_tokens?: number | null;
  readonly cache_creation_input_tokens?: number | null;
}

function converseUsage(usage: AnthropicUsage): object {
  const [input, output] = [usage.input_tokens, usage.output_tokens];
  const [read, written] = [usage.cache_read_input_tokens ?? 0, usage.cache_creation_input_tokens ?? 0];
  return {
    inputTokens: input,
    outputTokens: output,
    totalTokens: input + output + read + written,
    cacheReadInputTokens: read,
    cacheWriteInputTokens: written,
  };
}

function converseAnswer(answer: Fields): object {
  const content = (answer['content'] as { type: string; text?: string }[]).map(({ text = '' }) => ({ text }));
  const usage = converseUsage(answer['usage'] as AnthropicUsage);
  return {
    output: { message: { role: 'assistant', content } },
    stopReason: 'end_turn',
    usage,
    metrics: { latencyMs: 1 },
  };
}

/** Returns what makes each event of Anthropic one of `ConverseStream`; empty = it has none. */
function converseEvents(): (given: Fields) => Buffer {
  let usage: AnthropicUsage = { input_tokens: 0, output_tokens: 0 };
  return (given) => {
    switch (given['type']) {
      case 'message_start':
        usage = (given['message'] as { usage: AnthropicUsage }).usage;
        return event('messageStart', { role: 'assistant' });
      case 'content_block_delta': {
        const { text = '' } = given['delta'] as { text?: string };
        return event('contentBlockDelta', { contentBlockIndex: 0, delta: { text } });
      }
      case 'content_block_stop':
        return event('contentBlockStop', { contentBlockIndex: 0 });
      case 'message_delta':
        usage = { ...usage, ...(given['usage'] as Partial<AnthropicUsage>) };
        return Buffer.concat([
          event('messageStop', { stopReason: 'end_turn' }),
          event('metadata', { usage: converseUsage(usage), metrics: { latencyMs: 1 } }),
        ]);
      default:
        return Buffer.alloc(0);
    }
  };
}
