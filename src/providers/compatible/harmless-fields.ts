// Fields that providers of OpenAI's form take and that change nothing of what they charge. What starts further work, runs
// another model or writes its own prompt is left out: `best_of`, `use_beam_search`, `echo`, `safety_model`,
// `guardrails`, `compound_custom`, `chat_template`.

/** Fields for sampling and for showing thinking, which most compatible servers accept. */
export const SAMPLING = [
  'top_k',
  'top_a',
  'min_p',
  'typical_p',
  'repetition_penalty',
  'min_tokens',
  'ignore_eos',
  'stop_token_ids',
  'skip_special_tokens',
  'thinking',
  'include_reasoning',
  'reasoning_format',
  'chat_template_kwargs',
];

/** OpenRouter docs, "API Reference". */
export const OPENROUTER_HARMLESS = [
  ...SAMPLING,
  'route',
  'transforms',
  'usage',
  'prompt',
  'structured_outputs',
  'session_id',
  'trace',
  'debug',
];

/** Groq docs, "API Reference". */
export const GROQ_HARMLESS = [
  ...SAMPLING,
  'citation_options',
  'disable_tool_validation',
  'documents',
  'exclude_domains',
  'include_domains',
  'search_settings',
];

/** Mistral docs, "Chat" and "Embeddings". */
export const MISTRAL_HARMLESS = [
  ...SAMPLING,
  'random_seed',
  'safe_prompt',
  'prompt_mode',
  'document_image_limit',
  'document_page_limit',
  'output_dimension',
  'output_dtype',
];

export const DEEPSEEK_HARMLESS = [...SAMPLING, 'user_id'];

/** Together docs, "Create chat completion". */
export const TOGETHER_HARMLESS = [...SAMPLING, 'context_length_exceeded_behavior', 'compliance'];

export const OLLAMA_HARMLESS = [...SAMPLING, 'keep_alive', 'think', 'format'];

/** vLLM docs, "OpenAI-Compatible Server". */
export const VLLM_HARMLESS = [
  ...SAMPLING,
  'add_generation_prompt',
  'continue_final_message',
  'add_special_tokens',
  'documents',
  'mm_processor_kwargs',
  'guided_json',
  'guided_regex',
  'guided_choice',
  'guided_grammar',
  'guided_decoding_backend',
  'guided_whitespace_pattern',
  'structured_outputs',
  'priority',
  'request_id',
  'return_token_ids',
  'return_tokens_as_token_ids',
  'cache_salt',
  'truncate_prompt_tokens',
  'prompt_logprobs',
  'allowed_token_ids',
  'bad_words',
  'length_penalty',
  'include_stop_str_in_output',
  'spaces_between_special_tokens',
];

export const LM_STUDIO_HARMLESS = [...SAMPLING, 'ttl'];

/** Z.ai docs, "Chat Completion". */
export const ZAI_HARMLESS = [...SAMPLING, 'do_sample', 'request_id', 'tool_stream', 'user_id'];

/** Alibaba Model Studio docs, "OpenAI Chat". `enable_search` is billed. */
export const QWEN_HARMLESS = [...SAMPLING, 'enable_thinking', 'thinking_budget', 'vl_high_resolution_images'];

/** Fireworks docs, "Create Chat Completion". */
export const FIREWORKS_HARMLESS = [
  ...SAMPLING,
  'prompt_truncate_len',
  'context_length_exceeded_behavior',
  'perf_metrics_in_response',
  'mirostat_target',
  'mirostat_lr',
  'raw_output',
  'reasoning_history',
  'prompt_cache_isolation_key',
];

/** Perplexity docs, "Agent API" and "Chat Completions". */
export const PERPLEXITY_HARMLESS = [
  'search_mode',
  'search_domain_filter',
  'search_recency_filter',
  'search_after_date_filter',
  'search_before_date_filter',
  'last_updated_after_filter',
  'last_updated_before_filter',
  'return_images',
  'return_related_questions',
  'disable_search',
  'enable_search_classifier',
  'language_preference',
];

/** Fields of a provider that the operator adds, which may be any of these. */
export const ADDED_HARMLESS = [
  ...MISTRAL_HARMLESS,
  ...TOGETHER_HARMLESS,
  ...VLLM_HARMLESS,
  ...FIREWORKS_HARMLESS,
  ...PERPLEXITY_HARMLESS,
];
