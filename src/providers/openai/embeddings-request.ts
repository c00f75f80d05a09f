import { NO_DEMAND, NO_MEDIA } from '../../core/demand.ts';
import type { InferenceRoute, RequestFacts } from '../provider.ts';
import { inferenceRoute, type RequestBody, type RequestReader } from '../request-body.ts';
import { openChatReader } from './chat-answer.ts';
import { EMBEDDINGS_PLAN } from './request-plan.ts';
import { tierWord } from './request-terms.ts';

/** Pictures and sound, as some providers of this form take them. */
const ANY_INPUT = { ...NO_MEDIA, audioIn: true, imageIn: true };

export function embeddingsRoute(prefix: string): InferenceRoute {
  return inferenceRoute('embeddings', EMBEDDINGS_PLAN, () => new EmbeddingsReader(prefix));
}

class EmbeddingsReader implements RequestReader {
  readonly #prefix: string;
  /** Inputs that are neither texts nor tokens. */
  #objects = 0;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  receive(): void {
    this.#objects++;
  }

  facts(body: RequestBody): RequestFacts {
    return {
      upstreamPath: `${this.#prefix}/embeddings`,
      model: body.model(),
      stream: false,
      splices: [],
      demand: this.#demandOf(body),
      forward: () => [],
      counter: null,
      openReader: (answer) => openChatReader(false, answer),
    };
  }

  /** The prompts are the inputs, without roles or tools and each with a window of its own; the answer is no text. */
  #demandOf(body: RequestBody): RequestFacts['demand'] {
    const windows = Math.max(this.#objects, body.notes() ? 1 : 0);
    return {
      ...NO_DEMAND,
      textBytes: body.bytes.length,
      beyondBody: windows > 0,
      listedWindows: windows,
      media: windows > 0 ? ANY_INPUT : NO_MEDIA,
      outputMax: 0,
      tier: tierWord(body) ?? 'default',
    };
  }
}
