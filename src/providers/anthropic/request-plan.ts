import {
  eachRecord,
  eachOrText,
  eachOrWord,
  FREE,
  type ScanList,
  scanPlan,
  type ScanSpec,
} from '../../lib/json/scan-plan.ts';

const CACHE: ScanSpec = { ttl: {} };

const TOOL: ScanSpec = {
  type: {},
  max_uses: {},
  max_tokens: {},
  model: {},
  allowed_callers: {},
  cache_control: CACHE,
  caching: CACHE,
  input_schema: FREE,
  input_examples: FREE,
};

/** Parts hold parts: a tool's result an article, an article a picture. */
function parts(depth: number): ScanList {
  const inner = depth > 0 ? parts(depth - 1) : {};
  return eachOrText('part', {
    type: {},
    source: { type: {}, data: {}, content: inner },
    content: inner,
    input: FREE,
    citations: FREE,
    cache_control: CACHE,
    // A message may bring tools of its own.
    tool: { definition: eachRecord('tool', TOOL) },
    tool_changes: inner,
  });
}

export const MESSAGES_PLAN = scanPlan(
  {
    model: {},
    max_tokens: {},
    stream: {},
    messages: eachOrText('message', { content: parts(3) }),
    system: parts(0),
    tools: eachRecord('tool', TOOL),
    tool_choice: FREE,
    thinking: { type: {}, budget_tokens: {} },
    output_config: FREE,
    output_format: FREE,
    service_tier: {},
    speed: {},
    inference_geo: {},
    cache_control: CACHE,
    container: {},
    mcp_servers: {},
    fallbacks: eachOrWord('fallback', { model: {}, max_tokens: {}, speed: {}, thinking: { budget_tokens: {} } }),
    context_management: { edits: eachRecord('edit', { type: {} }) },
    compaction: {},
    thread: { previous_message_id: {} },
    metadata: FREE,
    // Members that cost nothing.
    billing_policy: {},
    diagnostics: {},
    fallback_credit_token: {},
    stop_sequences: {},
    temperature: {},
    top_k: {},
    top_p: {},
    user_profile_id: {},
    workspace_id: {},
  },
  // What would count for something, in places that are not read.
  {
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
  },
);
