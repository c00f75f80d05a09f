import {
  DEEPSEEK_HARMLESS,
  FIREWORKS_HARMLESS,
  GROQ_HARMLESS,
  LM_STUDIO_HARMLESS,
  MISTRAL_HARMLESS,
  OLLAMA_HARMLESS,
  OPENROUTER_HARMLESS,
  PERPLEXITY_HARMLESS,
  QWEN_HARMLESS,
  SAMPLING,
  TOGETHER_HARMLESS,
  VLLM_HARMLESS,
  ZAI_HARMLESS,
} from './harmless-fields.ts';
import type { ChatForm } from '../openai/chat-request.ts';
import type { DeploymentModels } from '../provider.ts';

/** A provider that speaks OpenAI's chat completions and embeddings. */
export interface CompatibleRow {
  readonly id: string;
  readonly name: string;
  /** Includes the path prefix that its clients use, usually `/v1`. */
  readonly url: string;
  /** Provider whose prices apply; null = only custom prices. */
  readonly priceProvider: string | null;
  /**
   * Streams report usage only if `stream_options.include_usage` requests it. False if usage is always reported, or if the
   * option is refused.
   */
  readonly includeUsage: boolean;
  /** Fields that limit the output. The first one is set if the request has none. */
  readonly maxima: ChatForm['maxima'];
  /** Fields beyond OpenAI's that do not change the cost. A call with any other unknown field has no cost bound. */
  readonly harmless: readonly string[];
  /** Path of a free GET that requires a valid key. */
  readonly keyCheckPath: string;
  /** Servers that usually ask for no key. */
  readonly isKeyless: boolean;
  /** False = new users are shown a call to `/responses`, because it has no chat completions. */
  readonly hasChat: boolean;
  /** Models of the names that the operator chose; null = none. */
  readonly deployments: DeploymentModels | null;
}

/** The older name comes first, because all of them know it. */
export const BOTH: CompatibleRow['maxima'] = ['max_tokens', 'max_completion_tokens'];
const OLDER: CompatibleRow['maxima'] = ['max_tokens'];

export const COMPATIBLE_ROWS: readonly CompatibleRow[] = [
  // Usage is always reported, and the model list needs no key.
  row('openrouter', 'OpenRouter', 'https://openrouter.ai/api/v1', 'openrouter', {
    includeUsage: false,
    keyCheckPath: '/key',
    harmless: OPENROUTER_HARMLESS,
  }),
  row('groq', 'Groq', 'https://api.groq.com/openai/v1', 'groq', { harmless: GROQ_HARMLESS }),
  // Usage is always in the last chunk, and `stream_options` causes a 422.
  row('mistral', 'Mistral', 'https://api.mistral.ai/v1', 'mistral', {
    includeUsage: false,
    maxima: OLDER,
    harmless: MISTRAL_HARMLESS,
  }),
  row('deepseek', 'DeepSeek', 'https://api.deepseek.com/v1', 'deepseek', {
    maxima: OLDER,
    harmless: DEEPSEEK_HARMLESS,
  }),
  row('xai', 'xAI', 'https://api.x.ai/v1', 'x-ai'),
  row('together', 'Together', 'https://api.together.xyz/v1', 'together', {
    maxima: OLDER,
    harmless: TOGETHER_HARMLESS,
  }),
  row('fireworks', 'Fireworks', 'https://api.fireworks.ai/inference/v1', 'fireworks', { harmless: FIREWORKS_HARMLESS }),
  row('cerebras', 'Cerebras', 'https://api.cerebras.ai/v1', 'cerebras'),
  // Chat completions ended in September 2026. The model list needs no key, and this path is one of a response that is not there.
  row('perplexity', 'Perplexity', 'https://api.perplexity.ai/v1', 'perplexity', {
    harmless: PERPLEXITY_HARMLESS,
    keyCheckPath: '/agent/none',
    hasChat: false,
  }),
  row('moonshot', 'Moonshot', 'https://api.moonshot.ai/v1', 'moonshotai'),
  // Usage is always in the last chunk, and `stream_options` is not a field.
  row('zai', 'Z.ai', 'https://api.z.ai/api/paas/v4', 'zai', {
    includeUsage: false,
    maxima: OLDER,
    harmless: ZAI_HARMLESS,
  }),
  row('nebius', 'Nebius', 'https://api.tokenfactory.nebius.com/v1', 'nebius', { maxima: OLDER }),
  row('huggingface', 'Hugging Face', 'https://router.huggingface.co/v1', 'huggingface', { maxima: OLDER }),
  row('qwen', 'Qwen', 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1', 'qwen', {
    maxima: OLDER,
    harmless: QWEN_HARMLESS,
  }),
  row('vercel', 'Vercel AI Gateway', 'https://ai-gateway.vercel.sh/v1', 'vercel'),
  // It states its cost in a header, so a whole answer needs no price.
  row('litellm', 'LiteLLM', 'http://localhost:4000/v1', null),
  row('ollama', 'Ollama', 'http://localhost:11434/v1', null, {
    maxima: OLDER,
    harmless: OLLAMA_HARMLESS,
    isKeyless: true,
  }),
  row('vllm', 'vLLM', 'http://localhost:8000/v1', null, { harmless: VLLM_HARMLESS, isKeyless: true }),
  row('lmstudio', 'LM Studio', 'http://localhost:1234/v1', null, {
    maxima: OLDER,
    harmless: LM_STUDIO_HARMLESS,
    isKeyless: true,
  }),
];

function row(
  id: string,
  name: string,
  url: string,
  priceProvider: string | null,
  differences: Partial<
    Pick<CompatibleRow, 'includeUsage' | 'maxima' | 'harmless' | 'keyCheckPath' | 'isKeyless' | 'hasChat'>
  > = {},
): CompatibleRow {
  return {
    id,
    name,
    url,
    priceProvider,
    includeUsage: true,
    maxima: BOTH,
    harmless: SAMPLING,
    keyCheckPath: '/models',
    isKeyless: false,
    hasChat: true,
    deployments: null,
    ...differences,
  };
}
