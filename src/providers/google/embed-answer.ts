import type { Usage } from '../../domain/usage/usage.ts';
import { capture, look } from '../../lib/json/pick.ts';
import { asCount, asObject } from '../../lib/json/values.ts';
import { plainUsage, requiredCount, type UsageTally, withoutZeros } from '../answer-tally.ts';
import { type ErrorNames, readErrorNames } from '../error-names.ts';
import type { UsageReader } from '../provider.ts';
import { DocumentReader } from '../usage-reader.ts';

const USAGE = 0;
const ERROR = 1;

const ANSWER = look({ usageMetadata: capture(USAGE), error: capture(ERROR) });

/** Kinds of input with a price per token. */
type EmbeddedClass = 'input' | 'inputImage' | 'inputAudio';
const CLASS_BY_MODALITY: ReadonlyMap<unknown, EmbeddedClass> = new Map([
  ['TEXT', 'input'],
  ['IMAGE', 'inputImage'],
  ['AUDIO', 'inputAudio'],
]);

class EmbedTally implements UsageTally {
  readonly finished = false;
  readonly model = null;
  readonly responseId = null;
  errored = false;
  error: ErrorNames | null = null;
  readonly #hasMedia: boolean;
  #metadata: Readonly<Record<string, unknown>> | null = null;

  constructor(hasMedia: boolean) {
    this.#hasMedia = hasMedia;
  }

  get sawUsage(): boolean {
    return this.#metadata !== null;
  }

  receive(slot: number, value: unknown): void {
    if (slot === USAGE) this.#metadata = asObject(value);
    else if (slot === ERROR) {
      this.errored ||= value !== null;
      this.error = readErrorNames(value);
    }
  }

  closeDocument(): void {}
  endEvent(): void {}
  end(): void {}

  usage(): Usage | null {
    return this.#metadata && readEmbedUsage(this.#metadata, this.#hasMedia);
  }
}

/**
 * Reads the usage of embeddings. The two methods name the details differently, and `gemini-embedding-001` reports no
 * usage at all.
 * @param hasMedia the request has more than text, so tokens without a kind may have any price
 */
function readEmbedUsage(metadata: Readonly<Record<string, unknown>>, hasMedia: boolean): Usage | null {
  const prompt = requiredCount(metadata['promptTokenCount']);
  const details = metadata['promptTokenDetails'] ?? metadata['promptTokensDetails'];
  const counts: Record<EmbeddedClass, number> = { input: 0, inputImage: 0, inputAudio: 0 };
  let rest = prompt;
  for (const entry of Array.isArray(details) ? details : []) {
    const fields = asObject(entry) ?? {};
    const count = asCount(fields['tokenCount']);
    const name = CLASS_BY_MODALITY.get(fields['modality']);
    // For example video, whose tokens have another price.
    if (name === undefined && count > 0) return null;
    if (name !== undefined) counts[name] += count;
    rest -= count;
  }
  if (rest < 0 || (rest > 0 && hasMedia)) return null;
  const tokens = withoutZeros({ ...counts, input: counts.input + rest });
  return plainUsage({
    inferences: [{ model: null, tokens, promptTokens: prompt }],
    uses: {},
    thinking: 0,
    terms: { tier: null, speed: null, geo: null },
  });
}

/** Opens a reader for the answer of `:embedContent` and `:batchEmbedContents`. */
export function openEmbedReader(hasMedia: boolean): UsageReader {
  return new DocumentReader(ANSWER, new EmbedTally(hasMedia));
}
