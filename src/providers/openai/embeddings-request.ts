import { NO_DEMAND, NO_MEDIA, NO_WORK, type ProviderWork } from '../../domain/limits/demand.ts';
import { expecting } from '../../lib/json/scan-plan.ts';
import { AS_IT_IS, type ForwardPlan, buildSplices } from '../forward-plan.ts';
import { readEndpoint } from '../router-max-price.ts';
import type { InferenceRoute, RequestFacts } from '../provider.ts';
import { unlistedWork } from '../demand-tally.ts';
import { inferenceRoute, type RequestBody, type RequestReader } from '../request-body.ts';
import { openChatReader } from './chat-answer.ts';
import type { ChatForm } from './chat-request.ts';
import { EMBEDDINGS_HARMLESS } from './harmless-fields.ts';
import { EMBEDDINGS_PLAN } from './request-plan.ts';
import { tierWord } from './request-terms.ts';

/** Images and audio, which some compatible providers accept. */
const ANY_INPUT = { ...NO_MEDIA, audioIn: true, imageIn: true };

type EmbeddingsForm = Pick<ChatForm, 'prefix' | 'obeysMaxPrice' | 'readCost' | 'harmless' | 'deployments'>;

export function embeddingsRoute(form: EmbeddingsForm): InferenceRoute {
  const plan = expecting(EMBEDDINGS_PLAN, [...EMBEDDINGS_HARMLESS, ...form.harmless]);
  return inferenceRoute('embeddings', plan, () => new EmbeddingsReader(form), null, form.deployments);
}

class EmbeddingsReader implements RequestReader {
  readonly #form: EmbeddingsForm;
  /** Number of inputs that are neither texts nor tokens. */
  #objects = 0;

  constructor(form: EmbeddingsForm) {
    this.#form = form;
  }

  receive(): void {
    this.#objects++;
  }

  facts(body: RequestBody): RequestFacts {
    const { prefix, obeysMaxPrice, readCost } = this.#form;
    let work: ProviderWork = body.stranger === null ? NO_WORK : unlistedWork(body.stranger);
    let anyModel = false;
    const maxPrice = readEndpoint(body, obeysMaxPrice, false, (phrase) => {
      work = unlistedWork(phrase);
      anyModel = true;
    });
    const forwarding: ForwardPlan = { maxima: [], tier: null, tierSays: null, maxPrice, always: null };
    return {
      upstreamPath: `${prefix}/embeddings`,
      model: body.model(),
      stream: false,
      splices: buildSplices(forwarding, AS_IT_IS),
      demand: { ...this.#readDemand(body), work, anyModel, hasEndpoints: obeysMaxPrice },
      tools: null,
      forward: (terms) => buildSplices(forwarding, terms),
      counter: null,
      openReader: (answer) => openChatReader(false, answer, readCost),
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
