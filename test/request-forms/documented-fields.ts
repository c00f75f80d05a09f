import type { Library } from './declared-fields.ts';

/** Fields of one type of a library: where it stands in a request, and what each may say. */
export interface FieldGroup {
  readonly library: Library;
  readonly type: string;
  /** Names from the body down to the object that has the fields; `0` is an element of a list. */
  readonly at: readonly string[];
  /** Values by field; none = the library keeps the field to itself, or it stands in another group. */
  readonly fields: Readonly<Record<string, readonly unknown[]>>;
  /** Fields that decide what a call may cost. They are drawn more often. */
  readonly deciding: readonly string[];
  /** Members that an object at `at` has besides, where a form creates it. */
  readonly with?: Readonly<Record<string, unknown>>;
  /** Members that the body has besides. */
  readonly body?: Readonly<Record<string, unknown>>;
}

const EPHEMERAL = [{ type: 'ephemeral' }, { type: 'ephemeral', ttl: '5m' }, { type: 'ephemeral', ttl: '1h' }];
const SCHEMA = { type: 'object' };
const FUNCTION = { type: 'function', function: { name: 'f', parameters: SCHEMA } };
const SEARCH = { type: 'web_search_20250305', name: 'web_search', max_uses: 2 };
const LATE_SEARCH = { type: 'web_search_20260318', name: 'web_search', max_uses: 2, allowed_callers: ['direct'] };
const MAXIMA = [64, 2_048, 8_192, 100_000];
const TEXT = ['a text'];
const SWITCH = [true, false];
const SHARE = [0.5, 1];

export const ANTHROPIC: readonly FieldGroup[] = [
  {
    library: 'anthropic',
    type: 'MessageCreateParamsBase',
    at: [],
    deciding: [
      'max_tokens',
      'messages',
      'cache_control',
      'container',
      'context_management',
      'fallbacks',
      'inference_geo',
      'mcp_servers',
      'service_tier',
      'speed',
      'system',
      'thinking',
      'thread',
      'tools',
    ],
    fields: {
      max_tokens: MAXIMA,
      messages: [
        [{ role: 'user', content: 'Hi' }],
        [{ role: 'user', content: [{ type: 'image', source: { type: 'url', url: 'https://a.example' } }] }],
      ],
      model: [],
      betas: [],
      billing_policy: [{ type: 'billing_policy', bill_to: 'self' }],
      cache_control: EPHEMERAL,
      compaction: [{ type: 'summarize' }],
      container: ['container_1', { id: 'container_1' }],
      context_management: [{ edits: [{ type: 'clear_thinking_20251015' }] }, { edits: [{ type: 'compact_20260112' }] }],
      diagnostics: [{ previous_message_id: 'msg_1' }],
      fallback_credit_token: TEXT,
      fallbacks: ['default', [{ model: 'claude-sonnet-5' }], [{ model: 'claude-opus-4-5', max_tokens: 900 }]],
      inference_geo: ['global', 'us'],
      mcp_servers: [[{ type: 'url', url: 'https://a.example', name: 'a' }], []],
      metadata: [{ user_id: 'a' }],
      output_config: [{ effort: 'low' }],
      output_format: [{ type: 'json_schema', schema: SCHEMA }],
      service_tier: ['auto', 'standard_only'],
      speed: ['standard', 'fast'],
      stop_sequences: [['end']],
      stream: SWITCH,
      system: ['Be brief.', [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral', ttl: '1h' } }]],
      thinking: [
        { type: 'adaptive' },
        { type: 'enabled', budget_tokens: 1_024 },
        { type: 'enabled', budget_tokens: 50_000 },
      ],
      thread: [{ type: 'create' }, { type: 'continue', previous_message_id: 'msg_1' }],
      tool_choice: [{ type: 'auto' }],
      tools: [
        [{ name: 'f', input_schema: SCHEMA }],
        [SEARCH],
        [LATE_SEARCH],
        [{ type: 'code_execution_20250825', name: 'c' }],
      ],
      user_profile_id: [],
      workspace_id: [],
    },
  },
  {
    library: 'anthropic',
    type: 'BetaThinkingConfigEnabled',
    at: ['thinking'],
    deciding: ['budget_tokens'],
    fields: { type: ['enabled'], budget_tokens: [1_024, 4_000, 200_000], display: ['omitted'], block_binding: [{}] },
    with: { type: 'enabled', budget_tokens: 1_024 },
  },
  {
    library: 'anthropic',
    type: 'BetaFallbackParam',
    at: ['fallbacks', '0'],
    deciding: ['model', 'max_tokens', 'speed', 'thinking'],
    fields: {
      model: ['claude-sonnet-5', 'claude-opus-4-5'],
      max_tokens: MAXIMA,
      output_config: [{ effort: 'low' }],
      speed: ['standard', 'fast'],
      thinking: [{ type: 'adaptive' }, { type: 'enabled', budget_tokens: 50_000 }],
    },
    with: { model: 'claude-sonnet-5' },
  },
  {
    library: 'anthropic',
    type: 'BetaCacheControlEphemeral',
    at: ['cache_control'],
    deciding: ['ttl'],
    fields: { type: ['ephemeral'], ttl: ['5m', '1h'] },
    with: { type: 'ephemeral' },
  },
  {
    library: 'anthropic',
    type: 'BetaWebSearchTool20260318',
    at: ['tools', '0'],
    deciding: ['type', 'allowed_callers', 'cache_control', 'max_uses'],
    fields: {
      type: ['web_search_20260318', 'web_search_20250305', 'web_fetch_20250910', 'custom'],
      name: ['web_search'],
      allowed_callers: [['direct'], ['direct', 'code_execution_20260120']],
      allowed_domains: [['a.example']],
      blocked_domains: [['a.example']],
      cache_control: EPHEMERAL,
      defer_loading: SWITCH,
      max_uses: [0, 1, 3, 12],
      response_inclusion: TEXT,
      strict: SWITCH,
      user_location: [{ type: 'approximate', country: 'US' }],
    },
    with: LATE_SEARCH,
  },
  {
    library: 'anthropic',
    type: 'BetaAdvisorTool20260301',
    at: ['tools', '0'],
    deciding: ['type', 'allowed_callers', 'caching', 'max_uses', 'model'],
    fields: {
      type: ['advisor_20260301'],
      name: ['advisor'],
      model: ['claude-opus-4-5'],
      max_uses: [0, 1, 3, 12],
      max_tokens: MAXIMA,
      caching: EPHEMERAL,
      cache_control: EPHEMERAL,
      allowed_callers: [['direct'], ['direct', 'code_execution_20260120']],
      defer_loading: SWITCH,
      strict: SWITCH,
    },
    with: { type: 'advisor_20260301', name: 'advisor', model: 'claude-opus-4-5', max_uses: 1 },
  },
];

const GENERATION = {
  audioTimestamp: SWITCH,
  audioTranscriptionConfig: [{ diarization: true }],
  candidateCount: [1, 2, 8],
  enableEnhancedCivicAnswers: SWITCH,
  frequencyPenalty: SHARE,
  logprobs: [1],
  maxOutputTokens: MAXIMA,
  mediaResolution: ['MEDIA_RESOLUTION_HIGH'],
  modelSelectionConfig: [{ featureSelectionPreference: 'PRIORITIZE_QUALITY' }],
  presencePenalty: SHARE,
  responseJsonSchema: [SCHEMA],
  responseLogprobs: SWITCH,
  responseMimeType: ['application/json'],
  responseModalities: [['TEXT'], ['IMAGE'], ['TEXT', 'IMAGE'], ['AUDIO']],
  responseSchema: [SCHEMA],
  routingConfig: [{ manualMode: { modelName: 'gemini-2.5-pro' } }],
  seed: [1],
  speechConfig: [{ languageCode: 'en-US' }],
  stopSequences: [['end']],
  temperature: SHARE,
  thinkingConfig: [{ thinkingBudget: 512 }, { thinkingBudget: -1 }],
  topK: [1],
  topP: SHARE,
};

export const GOOGLE: readonly FieldGroup[] = [
  {
    library: 'google',
    type: 'GenerationConfig',
    at: ['generationConfig'],
    deciding: [
      'candidateCount',
      'maxOutputTokens',
      'modelSelectionConfig',
      'responseFormat',
      'responseModalities',
      'routingConfig',
    ],
    fields: {
      ...GENERATION,
      enableAffectiveDialog: SWITCH,
      responseFormat: [[{ text: {} }], [{ image: { imageSize: '4K' } }]],
      translationConfig: [{ targetLanguageCode: 'de' }],
    },
  },
  {
    library: 'google',
    type: 'GenerateContentConfig',
    at: [],
    deciding: ['cachedContent', 'continuationToken', 'serviceTier', 'systemInstruction', 'tools'],
    fields: {
      ...Object.fromEntries(Object.keys(GENERATION).map((name) => [name, []])),
      cachedContent: ['cachedContents/a'],
      continuationToken: TEXT,
      labels: [{ a: 'b' }],
      safetySettings: [[{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }]],
      serviceTier: ['standard', 'flex', 'priority'],
      store: SWITCH,
      systemInstruction: [{ parts: [{ text: 'Be brief.' }] }],
      toolConfig: [{ functionCallingConfig: { mode: 'AUTO' } }],
      tools: [[{ functionDeclarations: [{ name: 'f' }] }], [{ googleSearch: {} }]],
      // The library's own, or of Vertex alone.
      abortSignal: [],
      automaticContinuation: [],
      automaticFunctionCalling: [],
      generationOutputConfig: [],
      httpOptions: [],
      imageConfig: [],
      modelArmorConfig: [],
    },
  },
  {
    library: 'google',
    type: 'ThinkingConfig',
    at: ['generationConfig', 'thinkingConfig'],
    deciding: [],
    fields: { includeThoughts: SWITCH, thinkingBudget: [512, -1], thinkingLevel: ['HIGH'] },
  },
  {
    library: 'google',
    type: 'Tool',
    at: ['tools', '0'],
    deciding: ['codeExecution', 'functionDeclarations', 'googleSearch', 'urlContext'],
    fields: {
      codeExecution: [{}],
      computerUse: [{ environment: 'ENVIRONMENT_BROWSER' }],
      enterpriseWebSearch: [{}],
      exaAiSearch: [{}],
      fileSearch: [{ fileSearchStoreNames: ['a'] }],
      functionDeclarations: [[{ name: 'f', parameters: SCHEMA }]],
      googleMaps: [{}],
      googleSearch: [{}],
      googleSearchRetrieval: [{}],
      mcpServers: [[{ name: 'a' }]],
      parallelAiSearch: [{}],
      retrieval: [{}],
      urlContext: [{}],
    },
  },
  {
    library: 'google',
    type: 'Part',
    at: ['contents', '0', 'parts', '0'],
    deciding: ['fileData', 'functionResponse', 'inlineData', 'mediaProcessing', 'mediaResolution'],
    fields: {
      audioTranscription: [{ text: 'a' }],
      codeExecutionResult: [{ output: 'a' }],
      executableCode: [{ code: 'a' }],
      fileData: [{ mimeType: 'image/png', fileUri: 'https://a.example' }],
      functionCall: [{ name: 'f', args: {} }],
      functionResponse: [{ name: 'f', response: {} }],
      inlineData: ['image/png', 'audio/wav', 'video/mp4', 'text/plain'].map((mimeType) => ({ mimeType, data: 'AAAA' })),
      mediaProcessing: ['STATIC', 'AGENTIC'],
      mediaResolution: [{ level: 'MEDIA_RESOLUTION_HIGH' }, { numTokens: 100_000 }],
      partMetadata: [{}],
      speechMetadata: [{ speaker: 'a' }],
      text: TEXT,
      thought: SWITCH,
      thoughtSignature: ['AAAA'],
      toolCall: [{ id: 'a' }],
      toolResponse: [{ id: 'a' }],
      videoMetadata: [{ fps: 1 }],
    },
  },
];

const CACHE_OPTIONS = [{ ttl: '30m' }, { ttl: '12h' }, { mode: 'explicit' }];
const BREAKPOINTS = [{ mode: 'explicit' }, { mode: 'explicit', ttl: '30m' }, { mode: 'explicit', ttl: '12h' }];
const OPENAI_TIERS = ['auto', 'default', 'flex', 'priority', 'fast', 'scale'];

export const CHAT: readonly FieldGroup[] = [
  {
    library: 'openaiChat',
    type: 'ChatCompletionCreateParamsBase',
    at: [],
    deciding: [
      'messages',
      'audio',
      'max_completion_tokens',
      'max_tokens',
      'modalities',
      'n',
      'prediction',
      'prompt_cache_options',
      'service_tier',
      'tools',
      'web_search_options',
    ],
    fields: {
      messages: [
        [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://a.example' } }] }],
        [{ role: 'user', content: [{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }] }],
      ],
      model: [],
      audio: [{ voice: 'alloy', format: 'wav' }],
      frequency_penalty: SHARE,
      function_call: ['auto'],
      functions: [[{ name: 'f' }]],
      logit_bias: [{ 50256: -100 }],
      logprobs: SWITCH,
      max_completion_tokens: MAXIMA,
      max_tokens: MAXIMA,
      metadata: [{ a: 'b' }],
      modalities: [['text'], ['text', 'audio'], ['text', 'image']],
      moderation: [{ model: 'omni-moderation-latest' }],
      n: [1, 2, 8],
      parallel_tool_calls: SWITCH,
      prediction: [{ type: 'content', content: 'a' }],
      presence_penalty: SHARE,
      prompt_cache_key: TEXT,
      prompt_cache_options: CACHE_OPTIONS,
      prompt_cache_retention: ['24h'],
      reasoning_effort: ['low'],
      response_format: [{ type: 'text' }],
      safety_identifier: TEXT,
      seed: [1],
      service_tier: OPENAI_TIERS,
      stop: ['end', ['end']],
      store: SWITCH,
      stream: SWITCH,
      stream_options: [{ include_usage: true }, { include_usage: false }],
      temperature: SHARE,
      tool_choice: ['auto'],
      tools: [[FUNCTION], [{ type: 'custom', custom: { name: 'f' } }], [{ type: 'browser_search' }]],
      top_logprobs: [1],
      top_p: SHARE,
      user: TEXT,
      verbosity: ['low'],
      web_search_options: [{}],
    },
  },
  {
    library: 'openaiChat',
    type: 'ChatCompletionStreamOptions',
    at: ['stream_options'],
    deciding: [],
    fields: { include_usage: SWITCH, include_obfuscation: SWITCH },
  },
  {
    library: 'openaiChat',
    type: 'ChatCompletionContentPartText',
    at: ['messages', '0', 'content', '0'],
    deciding: ['type', 'prompt_cache_breakpoint'],
    fields: { type: ['text'], text: TEXT, prompt_cache_breakpoint: BREAKPOINTS },
    with: { type: 'text', text: 'a' },
  },
];

/** Fields that other providers of this form take, from their documentation. */
export const COMPATIBLE: readonly Omit<FieldGroup, 'library' | 'type'>[] = [
  {
    at: [],
    deciding: ['cache_control', 'models', 'preset', 'provider', 'reasoning'],
    fields: {
      cache_control: EPHEMERAL,
      deferred: SWITCH,
      models: [['google/gemini-2.5-pro'], ['anthropic/claude-opus-4.8', 'google/gemini-2.5-pro']],
      plugins: [[{ id: 'web' }]],
      preset: TEXT,
      provider: [
        { order: ['cerebras'], sort: 'throughput' },
        { max_price: { prompt: 100, completion: '0.001' } },
        { max_price: '5' },
      ],
      reasoning: [{ effort: 'low' }, { mode: 'pro' }],
      search_parameters: [{ mode: 'on' }],
    },
  },
];

const RESPONSES_FIELDS: readonly FieldGroup[] = [
  {
    library: 'openaiResponses',
    type: 'ResponseCreateParamsBase',
    at: [],
    deciding: [
      'background',
      'context_management',
      'conversation',
      'input',
      'max_output_tokens',
      'max_tool_calls',
      'previous_response_id',
      'prompt',
      'prompt_cache_options',
      'reasoning',
      'service_tier',
      'tools',
    ],
    fields: {
      access_programs: [{ cyber: 'standard' }],
      background: SWITCH,
      context_management: [[{ type: 'compaction' }], [{ type: 'compaction', compact_threshold: 50_000 }]],
      conversation: ['conv_1', { id: 'conv_1' }],
      image: [{ context_compression: 'auto' }],
      include: [['reasoning.encrypted_content']],
      input: [
        [{ role: 'user', content: [{ type: 'input_image', image_url: 'https://a.example' }] }],
        [{ role: 'user', content: [{ type: 'input_file', file_id: 'file_1' }] }],
      ],
      instructions: TEXT,
      max_output_tokens: MAXIMA,
      max_tool_calls: [1, 3],
      metadata: [{ a: 'b' }],
      model: [],
      moderation: [{ model: 'omni-moderation-latest' }],
      parallel_tool_calls: SWITCH,
      previous_response_id: ['resp_1'],
      prompt: [{ id: 'pmpt_1' }],
      prompt_cache_key: TEXT,
      prompt_cache_options: CACHE_OPTIONS,
      prompt_cache_retention: ['24h'],
      reasoning: [{ effort: 'low' }, { mode: 'pro' }],
      safety_identifier: TEXT,
      service_tier: [...OPENAI_TIERS, 'ultrafast'],
      store: SWITCH,
      stream: SWITCH,
      stream_options: [{ include_obfuscation: false }],
      temperature: SHARE,
      text: [{ format: { type: 'text' } }],
      tool_choice: ['auto'],
      tools: [
        [{ type: 'function', name: 'f' }],
        [{ type: 'web_search' }],
        [{ type: 'file_search', vector_store_ids: ['a'] }],
        [{ type: 'code_interpreter', container: { type: 'auto' } }],
        [{ type: 'shell', environment: { type: 'local' } }],
        [{ type: 'namespace', name: 'a', tools: [{ type: 'function', name: 'f' }] }],
        [{ type: 'namespace', name: 'a', tools: [{ type: 'namespace', tools: [{ type: 'web_search' }] }] }],
        [{ type: 'image_generation' }],
      ],
      top_logprobs: [1],
      top_p: SHARE,
      truncation: ['auto'],
      user: TEXT,
    },
  },
  {
    library: 'openaiShared',
    type: 'Reasoning',
    at: ['reasoning'],
    deciding: ['mode'],
    fields: {
      context: ['auto'],
      effort: ['low'],
      generate_summary: ['auto'],
      mode: ['standard', 'pro'],
      summary: ['auto'],
    },
  },
  {
    library: 'openaiResponses',
    type: 'ResponseInputText',
    at: ['input', '0', 'content', '0'],
    deciding: ['type', 'prompt_cache_breakpoint'],
    fields: { type: ['input_text'], text: TEXT, prompt_cache_breakpoint: BREAKPOINTS },
    with: { type: 'input_text', text: 'a' },
  },
  {
    library: 'openaiResponses',
    type: 'FunctionShellTool',
    at: ['tools', '0'],
    deciding: ['type', 'environment'],
    fields: {
      type: ['shell', 'function', 'web_search', 'tool_search'],
      environment: [{ type: 'local' }, { type: 'container_auto' }],
      allowed_callers: [['direct']],
    },
    with: { type: 'shell' },
  },
  {
    library: 'openaiResponses',
    type: 'ToolSearchTool',
    at: ['tools', '0'],
    deciding: ['type', 'execution'],
    fields: {
      type: ['tool_search', 'web_search'],
      execution: ['client', 'server'],
      description: TEXT,
      parameters: [SCHEMA],
    },
    with: { type: 'tool_search' },
  },
];

const MEMORY = ['1g', '4g', '16g', '64g'];

/** The sizes of containers, which decide their fees. */
const CONTAINERS: readonly FieldGroup[] = [
  {
    library: 'openaiResponses',
    type: 'CodeInterpreterToolAuto',
    at: ['tools', '0', 'container'],
    deciding: ['type', 'memory_limit'],
    fields: { type: ['auto'], file_ids: [['file_1']], memory_limit: MEMORY, network_policy: [{ type: 'disabled' }] },
    with: { type: 'auto' },
    body: { max_tool_calls: 2, tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] },
  },
  {
    library: 'openaiResponses',
    type: 'ContainerAuto',
    at: ['tools', '0', 'environment'],
    deciding: ['type', 'memory_limit'],
    fields: {
      type: ['container_auto'],
      file_ids: [['file_1']],
      memory_limit: MEMORY,
      network_policy: [{ type: 'disabled' }],
      skills: [[]],
    },
    with: { type: 'container_auto' },
    body: { max_tool_calls: 2, tools: [{ type: 'shell', environment: { type: 'container_auto' } }] },
  },
];

export const RESPONSES: readonly FieldGroup[] = [...RESPONSES_FIELDS, ...CONTAINERS];

const PICTURE_INPUT = { content: [{ type: 'image_url', image_url: { url: 'https://a.example/b.png' } }] };

export const EMBEDDINGS: readonly FieldGroup[] = [
  {
    library: 'openaiEmbeddings',
    type: 'EmbeddingCreateParams',
    at: [],
    deciding: ['input'],
    fields: {
      input: [
        'a',
        ['a', 'b'],
        [1, 2, 3],
        [[1, 2], [3]],
        // Each fits into a window, and all of them together do not.
        Array.from({ length: 5 }, () => 'word '.repeat(1_500)),
        [PICTURE_INPUT, PICTURE_INPUT],
      ],
      model: [],
      dimensions: [256],
      encoding_format: ['float'],
      user: TEXT,
    },
  },
];
