import type { RequestDemand } from '../../domain/limits/demand.ts';
import { setKey } from '../provider-key.ts';
import { unlistedWork } from '../demand-tally.ts';
import type { InferenceRoute, RequestFacts } from '../provider.ts';
import { readNoCost } from '../stated-cost.ts';
import { type ChatForm, chatRoute } from './chat-request.ts';
import { embeddingsRoute } from './embeddings-request.ts';

/** OpenAI's form at a provider that has a form of its own. */
interface OtherForm {
  readonly prefix: string;
  /** Fields beyond OpenAI's that do not change the cost. */
  readonly harmless: readonly string[];
  /** Names a part of a request whose tokens the answer does not report apart, although they have another price; null = none. */
  readonly unreported: (demand: RequestDemand, model: string) => string | null;
  readonly restIsOutput?: true;
}

/** Returns `/chat/completions` and `/embeddings` of a provider with a form of its own. Its key goes into `authorization`. */
export function openaiBase({ unreported, ...more }: OtherForm): Record<'chat' | 'embeddings', InferenceRoute> {
  const form: ChatForm = {
    includeUsage: true,
    maxima: ['max_tokens', 'max_completion_tokens'],
    own: false,
    obeysMaxPrice: false,
    thinksBeyondMax: () => false,
    readCost: readNoCost,
    deployments: null,
    ...more,
  };
  return {
    chat: withBearer(noting(chatRoute(form), unreported)),
    embeddings: withBearer(noting(embeddingsRoute(form), unreported)),
  };
}

function withBearer(route: InferenceRoute): InferenceRoute {
  return { ...route, authorize: (headers, key) => setKey(headers, 'authorization', `Bearer ${key}`) };
}

function noting(route: InferenceRoute, unreported: OtherForm['unreported']): InferenceRoute {
  const check = (facts: RequestFacts): RequestFacts => {
    const phrase = unreported(facts.demand, facts.model);
    return phrase === null ? facts : { ...facts, demand: { ...facts.demand, work: unlistedWork(phrase) } };
  };
  return {
    ...route,
    readRequest: (body) => check(route.readRequest(body)),
    *readRequestInSlices(body) {
      return check(yield* route.readRequestInSlices(body));
    },
  };
}
