import {
  eachRecord,
  eachAmongAnything,
  eachOrText,
  FREE,
  only,
  SCHEMA,
  type ScanList,
  scanPlan,
  type ScanSpec,
} from '../../lib/json/scan-plan.ts';
import { ENDPOINT_SPEC } from '../router-max-price.ts';

/** Types of media in places that are not read. */
const NOTED = {
  type: ['image_url', 'input_audio', 'file', 'input_image', 'input_file', 'item_reference', 'computer_screenshot'],
  cache_control: null,
  prompt_cache_breakpoint: null,
};

const CACHE: ScanSpec = { ttl: {} };
const CACHE_OPTIONS = only({ ttl: {} }, 'mode', 'comparison_response_id', 'prewarm');
const MODERATION = only({}, 'model', 'policy');

/** Members of messages whose text in the body is all that they add. */
const MESSAGE_HARMLESS = [
  'annotations',
  'channel',
  'citations',
  'id',
  'name',
  'partial',
  'prefix',
  'reasoning',
  'reasoning_content',
  'reasoning_details',
  'refusal',
  'thinking',
  'tool_call_id',
  'tool_plan',
];
/** The same of parts. */
const TEXT_PART_HARMLESS = ['annotations', 'id', 'index', 'reasoning', 'refusal', 'signature', 'summary', 'thinking'];

function members(names: readonly string[]): ScanSpec {
  return Object.fromEntries(names.map((name) => [name, {}]));
}

const STREAM_OPTIONS = only({ include_usage: {} }, 'include_obfuscation', 'continuous_usage_stats');

export const CHAT_PLAN = scanPlan(
  {
    model: {},
    models: {},
    messages: eachOrText('message', {
      role: {},
      content: eachOrText('part', {
        ...members(TEXT_PART_HARMLESS),
        type: {},
        text: {},
        image_url: { url: {} },
        input_audio: { data: {} },
        file: { file_data: {} },
        document: FREE,
        cache_control: CACHE,
        prompt_cache_breakpoint: CACHE,
      }),
      ...members(MESSAGE_HARMLESS),
      audio: {},
      cache_control: CACHE,
      tool_calls: FREE,
      function_call: FREE,
    }),
    stream: {},
    stream_options: STREAM_OPTIONS,
    max_tokens: {},
    max_completion_tokens: {},
    n: {},
    service_tier: {},
    modalities: {},
    audio: only({}, 'voice', 'format'),
    prediction: {},
    preset: {},
    deferred: {},
    reasoning: only(
      { mode: {}, max_tokens: {} },
      'context',
      'effort',
      'enabled',
      'exclude',
      'generate_summary',
      'summary',
    ),
    tools: eachRecord(
      'tool',
      only(
        { type: {}, function: SCHEMA, custom: FREE, parameters: SCHEMA, cache_control: CACHE },
        'description',
        'name',
        'strict',
      ),
    ),
    tool_choice: only({}, 'allowed_tools', 'custom', 'function', 'mode', 'name', 'tools', 'type'),
    function_call: only({}, 'name'),
    functions: SCHEMA,
    chat_template_kwargs: { chat_template: {} },
    documents: FREE,
    response_format: only(
      {
        json_schema: only({ schema: SCHEMA, schema_definition: SCHEMA }, 'name', 'description', 'strict'),
        schema: SCHEMA,
        format: SCHEMA,
        structures: SCHEMA,
      },
      'begin',
      'end',
      'grammar',
      'pattern',
      'regex',
      'triggers',
      'type',
      'value',
    ),
    moderation: MODERATION,
    metadata: FREE,
    cache_control: CACHE,
    prompt_cache_options: CACHE_OPTIONS,
    web_search_options: {},
    search_parameters: {},
    plugins: {},
    ...ENDPOINT_SPEC,
  },
  NOTED,
);

/** Members of tools that change neither their cost nor their number of runs. Other kinds of tools have no bound. */
const TOOL_HARMLESS = [
  'allowed_callers',
  'async',
  'defer_loading',
  'description',
  'display_height',
  'display_width',
  'external_web_access',
  'max_num_results',
  'name',
  'ranking_options',
  'search_content_types',
  'search_context_size',
  'strict',
  'user_location',
  'vector_store_ids',
];

function tools(depth: number): ScanList {
  return eachRecord(
    depth > 0 ? 'tool' : 'nested tool',
    only(
      {
        type: {},
        execution: {},
        container: only({ type: {}, memory_limit: {} }, 'file_ids', 'network_policy'),
        environment: only({ type: {}, memory_limit: {} }, 'container_id', 'file_ids', 'network_policy', 'skills'),
        // A namespace contains tools.
        tools: depth > 0 ? tools(depth - 1) : {},
        parameters: FREE,
        format: FREE,
        filters: FREE,
        output_schema: FREE,
      },
      ...TOOL_HARMLESS,
    ),
  );
}

const PARTS = eachOrText('part', {
  type: {},
  text: {},
  image_url: {},
  file_url: {},
  file_data: {},
  prompt_cache_breakpoint: CACHE,
  annotations: FREE,
  logprobs: FREE,
});

const RESPONSES_SPEC: ScanSpec = {
  model: {},
  input: eachOrText('item', {
    type: {},
    role: {},
    content: PARTS,
    output: PARTS,
    encrypted_content: {},
    result: {},
    summary: FREE,
    arguments: FREE,
    action: FREE,
    tools: tools(1),
  }),
  instructions: {},
  stream: {},
  background: {},
  max_output_tokens: {},
  max_tool_calls: {},
  parallel_tool_calls: {},
  service_tier: {},
  tools: tools(1),
  tool_choice: only({}, 'mode', 'name', 'server_label', 'tools', 'type'),
  previous_response_id: {},
  conversation: {},
  prompt: {},
  reasoning: only({ mode: {} }, 'context', 'effort', 'generate_summary', 'summary'),
  text: only({ format: only({ schema: FREE }, 'type', 'name', 'description', 'strict') }, 'verbosity'),
  truncation: {},
  metadata: FREE,
  context_management: eachRecord('edit', only({ type: {}, compact_threshold: {} })),
  prompt_cache_options: CACHE_OPTIONS,
  multi_agent: {},
  // Members that cost nothing.
  access_programs: only({}, 'cyber'),
  client_metadata: FREE,
  image: only({}, 'context_compression'),
  include: {},
  moderation: MODERATION,
  prompt_cache_key: {},
  prompt_cache_retention: {},
  safety_identifier: {},
  store: {},
  stream_options: only({}, 'include_obfuscation'),
  temperature: {},
  top_logprobs: {},
  top_p: {},
  user: {},
};

export const RESPONSES_PLAN = scanPlan(RESPONSES_SPEC, NOTED);

/** The same of a message `response.create`. */
export const RESPONSE_CREATE_PLAN = scanPlan({ ...RESPONSES_SPEC, type: {}, stream_id: {}, generate: {} }, NOTED);

/** The same with the fields of providers that choose among models and hosts. */
export const COMPATIBLE_RESPONSES_PLAN = scanPlan(
  { ...RESPONSES_SPEC, models: {}, preset: {}, ...ENDPOINT_SPEC },
  NOTED,
);

/** Objects among the inputs are images, audio or files, which some compatible providers accept. */
export const EMBEDDINGS_PLAN = scanPlan(
  { model: {}, input: eachAmongAnything('input', {}), service_tier: {}, ...ENDPOINT_SPEC },
  NOTED,
);

export const COMPLETIONS_PLAN = scanPlan(
  {
    model: {},
    models: {},
    preset: {},
    prompt: {},
    stream: {},
    stream_options: STREAM_OPTIONS,
    max_tokens: {},
    n: {},
    best_of: {},
    service_tier: {},
    ...ENDPOINT_SPEC,
  },
  NOTED,
);
