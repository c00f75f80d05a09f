import {
  eachRecord,
  eachOrText,
  eachOrWord,
  FREE,
  only,
  type ScanList,
  scanPlan,
  type ScanSpec,
} from '../../lib/json/scan-plan.ts';

const CACHE: ScanSpec = { ttl: {} };

const TOOL = only(
  {
    type: {},
    max_uses: {},
    max_tokens: {},
    model: {},
    allowed_callers: {},
    cache_control: CACHE,
    caching: CACHE,
    input_schema: FREE,
    input_examples: FREE,
  },
  'allowed_domains',
  'blocked_domains',
  'citations',
  'configs',
  'default_config',
  'defer_loading',
  'description',
  'display_height_px',
  'display_number',
  'display_width_px',
  'eager_input_streaming',
  'enable_zoom',
  'max_characters',
  'max_content_tokens',
  'mcp_server_name',
  'name',
  'response_inclusion',
  'strict',
  'url_sources',
  'use_cache',
  'user_location',
);

const FORMAT = only({ schema: FREE }, 'type', 'name', 'description', 'strict');
const OUTPUT_CONFIG = only({ format: FORMAT, task_budget: only({}, 'type', 'total', 'remaining') }, 'effort');
const THINKING = only({ budget_tokens: {}, block_binding: only({}, 'prefix_mismatch_behavior') }, 'type', 'display');

/** Parts contain parts: a tool result contains an article, an article contains a picture. */
function parts(depth: number): ScanList {
  const inner = depth > 0 ? parts(depth - 1) : {};
  return eachOrText('part', {
    type: {},
    source: { type: {}, data: {}, content: inner },
    content: inner,
    input: FREE,
    citations: FREE,
    cache_control: CACHE,
    // A message may define tools.
    tool: { definition: eachRecord('tool', TOOL) },
    tool_changes: inner,
  });
}

const MESSAGE_MEMBERS: ScanSpec = {
  model: {},
  max_tokens: {},
  stream: {},
  messages: eachOrText('message', only({ content: parts(3) }, 'role', 'clear_at', 'output_config')),
  system: parts(0),
  tools: eachRecord('tool', TOOL),
  tool_choice: only({}, 'type', 'name', 'disable_parallel_tool_use'),
  thinking: THINKING,
  output_config: OUTPUT_CONFIG,
  output_format: FORMAT,
  service_tier: {},
  speed: {},
  inference_geo: {},
  cache_control: CACHE,
  container: only({}, 'id', 'skills'),
  mcp_servers: {},
  fallbacks: eachOrWord(
    'fallback',
    only({ model: {}, max_tokens: {}, speed: {}, thinking: THINKING, output_config: OUTPUT_CONFIG }),
  ),
  context_management: only({
    edits: eachRecord(
      'edit',
      only(
        { type: {} },
        'clear_at_least',
        'clear_tool_inputs',
        'exclude_tools',
        'instructions',
        'keep',
        'pause_after_compaction',
        'trigger',
      ),
    ),
  }),
  compaction: only({}, 'type', 'instructions'),
  thread: only({ previous_message_id: {} }, 'type'),
  metadata: FREE,
  // Members that cost nothing.
  billing_policy: only({ bill_to: {} }, 'type'),
  diagnostics: only({}, 'previous_message_id'),
  fallback_credit_token: only({}, 'token', 'mode'),
  stop_sequences: {},
  temperature: {},
  top_k: {},
  top_p: {},
  user_profile_id: {},
  workspace_id: {},
};

/** Members that would cost something in places that are not read. */
const NOTED = {
  type: [
    'image',
    'document',
    'container_upload',
    'web_search_2*',
    'web_fetch_2*',
    'code_execution_2*',
    'tool_search_tool_*',
    'advisor_2*',
    'mcp_toolset',
  ],
  cache_control: null,
};

export const MESSAGES_PLAN = scanPlan(MESSAGE_MEMBERS, NOTED);

/** Members of a body at a cloud, which also has what is a header at Anthropic. */
export const CLOUD_MESSAGES_PLAN = scanPlan({ ...MESSAGE_MEMBERS, anthropic_version: {}, anthropic_beta: {} }, NOTED);
