import { NO_DEMAND, NO_MEDIA, NO_WORK, type ProviderWork } from '../../domain/limits/demand.ts';
import { expecting } from '../../lib/json/scan-plan.ts';
import { AS_IT_IS, type ForwardPlan, buildSplices } from '../forward-plan.ts';
import { readEndpoint } from '../max-price.ts';
import type { InferenceRoute, RequestFacts } from '../provider.ts';
import { inferenceRoute, type RequestBody, type RequestReader } from '../request-body.ts';
import { openChatReader } from './chat-answer.ts';
import { EMBEDDINGS_HARMLESS } from './harmless-fields.ts';
import { EMBEDDINGS_PLAN } from './request-plan.ts';
import { tierWord } from './request-terms.ts';

/** Images and audio, which some compatible providers accept. */
const ANY_INPUT = { ...NO_MEDIA, audioIn: true, imageIn: true };

/**
 * Returns the route of embeddings.
 * @param obeysMaxPrice the provider has endpoints with different prices for a model, and obeys `provider.max_price`
 * @param harmless fields beyond OpenAI's that do not change the cost
 */
export function embeddingsRoute(
  prefix: string,
  obeysMaxPrice = false,
  harmless: readonly string[] = [],
): InferenceRoute {
  const plan = expecting(EMBEDDINGS_PLAN, [...EMBEDDINGS_HARMLESS, ...harmless]);
  return inferenceRoute('embeddings', plan, () => new EmbeddingsReader(prefix, obeysMaxPrice));
}

class EmbeddingsReader implements RequestReader {
  readonly #prefix: string;
  readonly #obeysMaxPrice: boolean;
  /** Number of inputs that are neither texts nor tokens. */
  #objects = 0;

  constructor(prefix: string, obeysMaxPrice: boolean) {
    this.#prefix = prefix;
    this.#obeysMaxPrice = obeysMaxPrice;
  }

  receive(): void {
    this.#objects++;
  }

  facts(body: RequestBody): RequestFacts {
    let work: ProviderWork = body.stranger === null ? NO_WORK : { unbounded: body.stranger };
    let anyModel = false;
    const maxPrice = readEndpoint(body, this.#obeysMaxPrice, false, (phrase) => {
      work = { unbounded: phrase };
      anyModel = true;
    });
    const forwarding: ForwardPlan = { maxima: [], tier: null, tierSays: null, maxPrice, always: null };
    return {
      upstreamPath: `${this.#prefix}/embeddings`,
      model: body.model(),
      stream: false,
      splices: buildSplices(forwarding, AS_IT_IS),
      demand: { ...this.#readDemand(body), work, anyModel },
      tools: null,
      forward: (terms) => buildSplices(forwarding, terms),
      counter: null,
      openReader: (answer) => openChatReader(false, answer),
    };
  }

  /** Builds the demand. The inputs are prompts without roles or tools, each with its own window, and there is no output. */
  #readDemand(body: RequestBody): RequestFacts['demand'] {
    const windows = Math.max(this.#objects, body.notes() ? 1 : 0);
    return {
      ...NO_DEMAND,
      textBytes: body.textBytes,
      beyondBody: windows > 0,
      listedWindows: windows,
      media: windows > 0 ? ANY_INPUT : NO_MEDIA,
      outputMax: 0,
      tier: tierWord(body) ?? 'default',
    };
  }
}
