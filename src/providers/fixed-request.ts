import type { RequestDemand } from '../domain/limits/demand.ts';
import type { RequestFacts } from './provider.ts';

/** Exceeds any answer of a model. */
const WHOLE_OUTPUT_TOKENS = 1_000_000_000;

/** Facts of a request that has no field for a smaller answer. It is sent as it is, or refused. */
export function fixedRequest(
  facts: Pick<RequestFacts, 'upstreamPath' | 'model' | 'stream' | 'demand' | 'openReader'>,
): RequestFacts {
  return {
    ...facts,
    demand: neverShortened(facts.demand),
    splices: [],
    tools: null,
    forward: () => [],
    counter: null,
  };
}

/** Returns the demand of a request whose answer can't be made shorter. */
export function neverShortened(demand: RequestDemand): RequestDemand {
  return { ...demand, outputMaxFixed: true, outputLeast: WHOLE_OUTPUT_TOKENS, thinkingLeast: WHOLE_OUTPUT_TOKENS };
}
