import {
  DEEPSEEK_HARMLESS,
  GROQ_HARMLESS,
  MISTRAL_HARMLESS,
  OLLAMA_HARMLESS,
  OPENROUTER_HARMLESS,
  SAMPLING,
  TOGETHER_HARMLESS,
  VLLM_HARMLESS,
} from './harmless-fields.ts';
import type { ChatForm } from '../openai/chat-request.ts';

/** A provider that speaks OpenAI's chat completions and embeddings. */
export interface CompatibleRow {
  readonly id: string;
  readonly name: string;
  /** With the path prefix that its clients write, usually `/v1`. */
  readonly url: string;
  /** Whose prices apply; null = only the user's own. */
  readonly priceProvider: string | null;
  /**
   * Streams tell their usage only when `stream_options.include_usage` asks for it. False where the usage always comes,
   * or where the option is refused.
   */
  readonly includeUsage: boolean;
  /** Fields that bound the output, the one to set where none is there first. */
  readonly maxima: ChatForm['maxima'];
  /** Fields beyond OpenAI's that change nothing of what is charged. A call with any other field may come to any amount. */
  readonly harmless: readonly string[];
  /** A free GET that needs a good key. */
  readonly keyCheckPath: string;
}

/** The older name is the one that all of them know. */
export const BOTH: CompatibleRow['maxima'] = ['max_tokens', 'max_completion_tokens'];
const OLDER: CompatibleRow['maxima'] = ['max_tokens'];

export const COMPATIBLE_ROWS: readonly CompatibleRow[] = [
  // Usage always comes, and the model list is open to everybody.
  row('openrouter', 'OpenRouter', 'https://openrouter.ai/api/v1', 'openrouter', {
    includeUsage: false,
    keyCheckPath: '/key',
    harmless: OPENROUTER_HARMLESS,
  }),
  row('groq', 'Groq', 'https://api.groq.com/openai/v1', 'groq', { harmless: GROQ_HARMLESS }),
  // Usage always comes with the last chunk, and `stream_options` is answered with a 422.
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
  row('ollama', 'Ollama', 'http://localhost:11434/v1', null, { maxima: OLDER, harmless: OLLAMA_HARMLESS }),
  row('vllm', 'vLLM', 'http://localhost:8000/v1', null, { harmless: VLLM_HARMLESS }),
];

function row(
  id: string,
  name: string,
  url: string,
  priceProvider: string | null,
  differences: Partial<Pick<CompatibleRow, 'includeUsage' | 'maxima' | 'harmless' | 'keyCheckPath'>> = {},
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
    ...differences,
  };
}
