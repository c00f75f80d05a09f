import {
  eachRecord,
  eachAmongAnything,
  eachOrText,
  FREE,
  type ScanList,
  scanPlan,
  type ScanSpec,
} from '../../lib/json/scan-plan.ts';
import { ENDPOINT_SPEC } from '../max-price.ts';

/** Media, in places that are not read. */
const NOTED = {
  type: ['image_url', 'input_audio', 'file', 'input_image', 'input_file', 'item_reference', 'computer_screenshot'],
  cache_control: null,
  prompt_cache_breakpoint: null,
};

const CACHE: ScanSpec = { ttl: {} };
const CACHE_OPTIONS: ScanSpec = { ttl: {} };

export const CHAT_PLAN = scanPlan(
  {
    model: {},
    models: {},
    messages: eachOrText('message', {
      role: {},
      content: eachOrText('part', {
        type: {},
        text: {},
        image_url: { url: {} },
        input_audio: { data: {} },
        file: { file_data: {} },
        cache_control: CACHE,
        prompt_cache_breakpoint: CACHE_OPTIONS,
      }),
      audio: {},
      tool_calls: FREE,
      function_call: FREE,
    }),
    stream: {},
    stream_options: { include_usage: {} },
    max_tokens: {},
    max_completion_tokens: {},
    n: {},
    service_tier: {},
    modalities: {},
    audio: {},
    prediction: {},
    preset: {},
    deferred: {},
    reasoning: { mode: {} },
    tools: eachRecord('tool', { type: {}, function: FREE, custom: FREE, cache_control: CACHE }),
    functions: FREE,
    response_format: FREE,
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

function tools(depth: number): ScanList {
  return eachRecord(depth > 0 ? 'tool' : 'nested tool', {
    type: {},
    execution: {},
    container: { type: {}, memory_limit: {} },
    environment: { type: {}, memory_limit: {} },
    // A namespace holds tools.
    tools: depth > 0 ? tools(depth - 1) : {},
    parameters: FREE,
    format: FREE,
    filters: FREE,
  });
}

const PARTS = eachOrText('part', {
  type: {},
  text: {},
  image_url: {},
  file_url: {},
  file_data: {},
  prompt_cache_breakpoint: CACHE_OPTIONS,
  annotations: FREE,
  logprobs: FREE,
});

export const RESPONSES_PLAN = scanPlan(
  {
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
    tool_choice: FREE,
    previous_response_id: {},
    conversation: {},
    prompt: {},
    reasoning: { mode: {} },
    text: FREE,
    truncation: {},
    metadata: FREE,
    context_management: eachRecord('edit', { type: {} }),
    prompt_cache_options: CACHE_OPTIONS,
    multi_agent: {},
    // Members that cost nothing.
    access_programs: {},
    client_metadata: FREE,
    image: {},
    include: {},
    moderation: {},
    prompt_cache_key: {},
    prompt_cache_retention: {},
    safety_identifier: {},
    store: {},
    stream_options: {},
    temperature: {},
    top_logprobs: {},
    top_p: {},
    user: {},
  },
  NOTED,
);

/** Objects among the inputs are pictures, sound or files, as some providers of this form take them. */
export const EMBEDDINGS_PLAN = scanPlan(
  { model: {}, input: eachAmongAnything('input', {}), service_tier: {}, ...ENDPOINT_SPEC },
  NOTED,
);
