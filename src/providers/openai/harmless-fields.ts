/** Fields of OpenAI's chat completions that do not change the cost. A call with any other has no cost bound. */
export const CHAT_HARMLESS = [
  'frequency_penalty',
  'function_call',
  'logit_bias',
  'logprobs',
  'moderation',
  'parallel_tool_calls',
  'presence_penalty',
  'prompt_cache_key',
  'prompt_cache_retention',
  'reasoning_effort',
  'safety_identifier',
  'seed',
  'stop',
  'store',
  'temperature',
  'tool_choice',
  'top_logprobs',
  'top_p',
  'user',
  'verbosity',
];

/** The same for embeddings. */
export const EMBEDDINGS_HARMLESS = ['dimensions', 'encoding_format', 'user', 'metadata', 'input_type', 'truncate'];

/** The same for legacy completions. */
export const COMPLETIONS_HARMLESS = [
  'echo',
  'frequency_penalty',
  'logit_bias',
  'logprobs',
  'presence_penalty',
  'prompt_cache_key',
  'seed',
  'stop',
  'suffix',
  'temperature',
  'top_p',
  'user',
];
