import { NO_DEMAND } from '../../core/demand.ts';
import { scanPlan } from '../../lib/json-scan-plan.ts';
import type { InferenceRoute, RequestFacts } from '../provider.ts';
import { inferenceRoute, type RequestBody } from '../request-body.ts';
import { openMessageReader } from './answer.ts';

const PLAN = scanPlan(
  {
    model: {},
    max_tokens: {},
    stream: {},
    messages: {},
    system: {},
    tools: {},
    thinking: { type: {}, budget_tokens: {} },
    service_tier: {},
    speed: {},
    inference_geo: {},
    container: {},
    mcp_servers: {},
    fallbacks: {},
  },
  {
    // Media, and tools that the provider runs itself and whose results become input.
    type: [
      'image',
      'document',
      'container_upload',
      'web_search_*',
      'web_fetch_*',
      'code_execution_*',
      'advisor_*',
      'mcp_toolset',
    ],
  },
);

/** Role marks and the words around tools. */
const PREAMBLE_TOKENS_MAX = 2_048;

/** `POST /v1/messages` */
export const messagesRoute: InferenceRoute = inferenceRoute('messages', PLAN, readMessages);

function readMessages(body: RequestBody): RequestFacts {
  return {
    upstreamPath: '/v1/messages',
    model: body.model(),
    stream: body.isTrue('stream'),
    splices: [],
    demand: {
      ...NO_DEMAND,
      textBytes: body.bytes.length,
      preambleTokens: PREAMBLE_TOKENS_MAX,
      beyondBody: body.notes() || body.uses('container') || body.uses('mcp_servers'),
      outputMax: body.count('max_tokens'),
    },
    forward: () => [],
    counter: null,
    openReader: openMessageReader,
  };
}
