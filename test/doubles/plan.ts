import type { AnswerFacts, AnswerTokens } from '../../src/demo/answers/facts.ts';

/**
 * How the double answers one request. A test gives it ahead (`double.plan(…)`), or sends it with the request in the
 * header `x-double` as JSON; a request without a plan gets `{}`.
 */
export interface Plan {
  /** Token counts; classes that are not named are 0, but input is 10 and output 20. */
  readonly tokens?: Partial<AnswerTokens>;
  /** Fields laid over the usage object, in the provider's own words. */
  readonly usageFields?: Readonly<Record<string, unknown>>;
  /** The answer tells no usage. */
  readonly noUsage?: boolean;
  /** The answering model; default: the one asked for. */
  readonly model?: string;
  /** The generated text in its stream pieces. Default: two short ones. */
  readonly pieces?: readonly string[];
  readonly tool?: AnswerFacts['tool'];
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
  /** The answer waits for the test before its headers, or before each write of the body: see `double.held()`. */
  readonly hold?: 'headers' | 'writes';
}

export function factsOf(plan: Plan, askedModel: string, id: string): AnswerFacts {
  const pieces = plan.pieces ?? ['Hello', ', world.'];
  return {
    id,
    model: plan.model ?? (askedModel || 'listed-model'),
    pieces: plan.padBytes ? [...pieces, 'x'.repeat(plan.padBytes)] : pieces,
    tool: plan.tool ?? null,
    tokens: { input: 10, output: 20, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, thinking: 0, ...plan.tokens },
    tellsUsage: plan.noUsage !== true,
    usageFields: plan.usageFields ?? {},
  };
}
