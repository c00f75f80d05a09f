import type { Usage } from '../../domain/usage/usage.ts';
import { EVENT_MESSAGES_TYPE } from '../../lib/http/event-stream.ts';
import { capture, eachElement, look, measure, type PickNode } from '../../lib/json/pick.ts';
import { asCount, asObject, asWord } from '../../lib/json/values.ts';
import { plainUsage, requiredCount, type UsageTally, withoutZeros } from '../answer-tally.ts';
import type { ResponseHead, UsageReader } from '../provider.ts';
import { DocumentReader, EventMessageReader } from '../usage-reader.ts';

type AnswerFields = Readonly<Record<string, unknown>>;

const USAGE = 0;
const TIER = 1;
const LATENCY = 2;

const block: PickNode = look({
  text: measure(),
  toolUse: look({ input: measure() }),
  reasoningContent: look({ text: measure(), reasoningText: look({ text: measure() }) }),
});
const MEMBERS: Readonly<Record<string, PickNode>> = {
  usage: capture(USAGE),
  serviceTier: capture(TIER),
  performanceConfig: capture(LATENCY),
};
/** A whole answer. */
const ANSWER = look({ ...MEMBERS, output: look({ message: look({ content: eachElement(block) }) }) });
/** One event of a stream. The last one, `metadata`, has the usage. */
const EVENT = look({ ...MEMBERS, delta: block });

class ConverseTally implements UsageTally {
  readonly errored = false;
  readonly responseId = null;
  model: string | null = null;
  readonly #requestedModel: string;
  #usage: AnswerFields | null = null;
  #tier: AnswerFields | null = null;
  #performance: AnswerFields | null = null;

  constructor(requestedModel: string) {
    this.#requestedModel = requestedModel;
  }

  get sawUsage(): boolean {
    return this.#usage !== null;
  }

  get finished(): boolean {
    return this.#usage !== null;
  }

  receive(slot: number, value: unknown): void {
    if (slot === TIER) this.#tier = asObject(value);
    else if (slot === LATENCY) this.#performance = asObject(value);
    else {
      this.#usage = asObject(value);
      // The answer names no model.
      if (this.#usage) this.model = this.#requestedModel;
    }
  }

  closeDocument(): void {}

  endEvent(): void {}

  end(): void {}

  usage(): Usage | null {
    if (!this.#usage) return null;
    const tier = asWord(this.#tier?.['type']);
    return readConverseUsage(this.#usage, tier, asWord(this.#performance?.['latency']));
  }
}

/**
 * Reads usage by the Bedrock API reference, `TokenUsage`: the input excludes what the cache read or wrote. The total includes
 * all. If it exceeds the parts, a part is missing and the usage is unknown.
 */
function readConverseUsage(fields: AnswerFields, tier: string | null, speed: string | null): Usage | null {
  const input = requiredCount(fields['inputTokens']);
  const output = requiredCount(fields['outputTokens']);
  const cacheRead = asCount(fields['cacheReadInputTokens']);
  const written = asCount(fields['cacheWriteInputTokens']);
  const oneHour = Math.min(sumHourWrites(fields['cacheDetails']), written);
  const promptTokens = input + cacheRead + written;
  if (!(requiredCount(fields['totalTokens']) <= promptTokens + output)) return null;
  const tokens = withoutZeros({
    input,
    cacheRead,
    cacheWrite5m: written - oneHour,
    cacheWrite1h: oneHour,
    output,
  });
  const terms = { tier, speed, geo: null };
  return plainUsage({ inferences: [{ model: null, tokens, promptTokens }], uses: {}, thinking: 0, terms });
}

/** Sums the cache writes that last an hour, in a list of `{ttl, inputTokens}`. */
function sumHourWrites(details: unknown): number {
  if (!Array.isArray(details)) return 0;
  let sum = 0;
  for (const entry of details) {
    const fields = asObject(entry);
    if (fields?.['ttl'] === '1h') sum += asCount(fields['inputTokens']);
  }
  return sum;
}

/** Opens a reader for the answer of `Converse` or `ConverseStream`. @param model as the request named it */
export function openConverseReader(answer: ResponseHead, model: string): UsageReader {
  const tally = new ConverseTally(model);
  return answer.contentType === EVENT_MESSAGES_TYPE
    ? new EventMessageReader(EVENT, tally, (payload) => payload)
    : new DocumentReader(ANSWER, tally);
}
