import type { ObservedCall } from '../domain/observed/observed-call.ts';
import type { TokenCounts } from '../domain/usage/usage.ts';
import { toObservedCall } from './observed.ts';
import { providerFromName } from './provider-names.ts';
import { type AttributeValues, countAttribute, countPresent, type TelemetryRecord, textAttribute } from './record.ts';

/** Operations of the GenAI conventions that are one request to a model. Spans of agents and tools sum or contain others. */
const OPERATIONS = new Set(['chat', 'text_completion', 'generate_content', 'embeddings', 'inference']);

/** Returns true for a client span of one request to a model, by the old or the new names of the conventions. */
export function isGenAiCall({ signal, attributes }: TelemetryRecord): boolean {
  const operation = attributes.get('gen_ai.operation.name');
  return (
    signal === 'span' &&
    typeof operation === 'string' &&
    OPERATIONS.has(operation) &&
    USAGE_NAMES.some((name) => attributes.has(name))
  );
}

const USAGE_NAMES = [
  'gen_ai.usage.input_tokens',
  'gen_ai.usage.output_tokens',
  'gen_ai.usage.prompt_tokens',
  'gen_ai.usage.completion_tokens',
];

/** Reads a request to a model from its span. */
export function readGenAiCall(record: TelemetryRecord, tokenId: string): ObservedCall | null {
  const { attributes } = record;
  const isCopilot = /copilot/i.test(record.service);
  return toObservedCall(record, tokenId, {
    assistant: isCopilot ? 'copilot' : null,
    provider: providerFromName(textAttribute(attributes, 'gen_ai.provider.name', 'gen_ai.system') ?? ''),
    model: textAttribute(attributes, 'gen_ai.response.model', 'gen_ai.request.model'),
    providerIds: [
      textAttribute(attributes, 'gen_ai.response.id'),
      textAttribute(attributes, 'github.copilot.service_request_id'),
    ],
    session: null,
    context: {
      session: textAttribute(attributes, 'gen_ai.conversation.id'),
      agent: textAttribute(attributes, 'gen_ai.agent.id', 'gen_ai.agent.name'),
    },
    tokens: readGenAiTokens(attributes),
    thinking: countAttribute(attributes, 'gen_ai.usage.reasoning.output_tokens') ?? 0,
  });
}

/** The second name is the newer one. */
const CACHE_WRITE_NAMES = ['gen_ai.usage.cache_creation.input_tokens', 'gen_ai.usage.cache_write.input_tokens'];

/** Input includes cache reads and writes. Embeddings have no output. */
function readGenAiTokens(attributes: AttributeValues): TokenCounts | null {
  const input = countPresent(attributes, 'gen_ai.usage.input_tokens', 'gen_ai.usage.prompt_tokens');
  const readOutput = attributes.get('gen_ai.operation.name') === 'embeddings' ? countAttribute : countPresent;
  const output = readOutput(attributes, 'gen_ai.usage.output_tokens', 'gen_ai.usage.completion_tokens');
  const cacheRead = countAttribute(attributes, 'gen_ai.usage.cache_read.input_tokens');
  const cacheWrite = countAttribute(attributes, ...CACHE_WRITE_NAMES);
  if (input === null || output === null || cacheRead === null || cacheWrite === null) return null;
  if (cacheRead + cacheWrite > input) return null;
  return { input: input - cacheRead - cacheWrite, cacheRead, cacheWrite, output };
}
