import type { ResponseFacts, ResponseTokens } from '../../src/demo/answers/facts.ts';
import type { ProviderName } from '../../src/demo/answers/answer.ts';

/** Token counts in classes that do not overlap, except that `output` includes `thinking`. */
export interface PlanTokens extends ResponseTokens {
  /** Google only. */
  readonly inputAudio: number;
}

/** Usage of a further pass inside the provider (Anthropic). */
export interface PlanPass {
  readonly type: 'advisor_message' | 'compaction';
  /** null = the answering model. */
  readonly model: string | null;
  readonly input: number;
  readonly output: number;
}

/**
 * Response of the double to one request. A test sets it beforehand (`double.plan(…)`), or sends it with the request in the
 * header `x-double` as JSON; a request without a plan gets `{}`. The bill goes by `tokens` to `passes` and the model.
 */
export interface Plan {
  /** Token counts; classes that are not named are 0, but input is 10 and output 20. */
  readonly tokens?: Partial<PlanTokens>;
  /** Service tier, speed and geography that the answer names; default: the provider's usual ones. */
  readonly tier?: string;
  readonly speed?: string;
  readonly geo?: string;
  /** Web searches that the provider made. */
  readonly searches?: number;
  /** The answer lists its passes: its own and these. */
  readonly passes?: readonly PlanPass[];
  /** The answering model; default: the one asked for. */
  readonly model?: string;
  /** Fields laid over the usage object, in the provider's own words; not on the bill. */
  readonly usageFields?: Readonly<Record<string, unknown>>;
  /** The answer tells no usage. */
  readonly noUsage?: boolean;
  /** The generated text in its stream pieces. Default: two short ones. */
  readonly pieces?: readonly string[];
  readonly tool?: ResponseFacts['tool'];
  /** A whole body to answer with, at any path; its usage is not on the bill. */
  readonly body?: string;
  readonly contentType?: string;
  /** An error status with a body in the provider's shape. */
  readonly status?: number;
  readonly message?: string;
  /** Headers laid over the answer's own. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly encoding?: 'gzip' | 'deflate' | 'br' | 'zstd';
  /** The body goes out this many bytes at a time, each in a write of its own. */
  readonly splitBytes?: number;
  /** Adds this many letters to the text. */
  readonly padBytes?: number;
  /** The body ends cleanly after this many bytes (of its encoded form). */
  readonly truncateBytes?: number;
  /** The connection is reset, before the headers or after the first write of the body. */
  readonly reset?: 'before_headers' | 'in_body';
  /** After this many events of the stream comes an error event, and the stream ends. */
  readonly errorAfter?: number;
  /** The stream ends cleanly after this many events. */
  readonly endAfter?: number;
  /** The answer waits for the test before its headers, or before each write of the body: see `double.held()`. */
  readonly hold?: 'headers' | 'writes';
}

const NO_TOKENS: PlanTokens = {
  input: 10,
  inputAudio: 0,
  output: 20,
  cacheRead: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  thinking: 0,
};

export function tokensOf(plan: Plan): PlanTokens {
  return { ...NO_TOKENS, ...plan.tokens };
}

export function factsOf(plan: Plan, provider: ProviderName, requestedModel: string, id: string): ResponseFacts {
  const pieces = plan.pieces ?? ['Hello', ', world.'];
  const tokens = tokensOf(plan);
  return {
    id,
    model: plan.model ?? (requestedModel || 'listed-model'),
    pieces: plan.padBytes ? [...pieces, 'x'.repeat(plan.padBytes)] : pieces,
    tool: plan.tool ?? null,
    // Google's prompt is one number of all modalities.
    tokens: { ...tokens, input: tokens.input + tokens.inputAudio },
    searches: plan.searches ?? 0,
    tier: plan.tier ?? null,
    reportsUsage: plan.noUsage !== true,
    usageFields: { ...USAGE_FIELDS[provider](plan, tokens), ...plan.usageFields },
  };
}

/** Fields that the usage object of only one provider has. */
const USAGE_FIELDS: Record<ProviderName, (plan: Plan, tokens: PlanTokens) => object> = {
  anthropic: (plan, tokens) => ({
    ...(plan.speed ? { speed: plan.speed } : {}),
    ...(plan.geo ? { inference_geo: plan.geo } : {}),
    ...(plan.passes ? { iterations: [ownPass(tokens), ...plan.passes.map(otherPass)] } : {}),
  }),
  google: (_, { input, cacheRead, inputAudio }) =>
    inputAudio === 0
      ? {}
      : {
          promptTokensDetails: [
            { modality: 'TEXT', tokenCount: input + cacheRead },
            { modality: 'AUDIO', tokenCount: inputAudio },
          ],
          cacheTokensDetails: [{ modality: 'TEXT', tokenCount: cacheRead }],
        },
  openai: () => ({}),
};

function ownPass(tokens: PlanTokens): object {
  return {
    type: 'message',
    model: null,
    input_tokens: tokens.input,
    output_tokens: tokens.output,
    cache_read_input_tokens: tokens.cacheRead,
    cache_creation_input_tokens: tokens.cacheWrite5m + tokens.cacheWrite1h,
    cache_creation: {
      ephemeral_5m_input_tokens: tokens.cacheWrite5m,
      ephemeral_1h_input_tokens: tokens.cacheWrite1h,
    },
  };
}

function otherPass({ type, model, input, output }: PlanPass): object {
  return { type, model, input_tokens: input, output_tokens: output };
}
