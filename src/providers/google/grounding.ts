import type { UseCounts } from '../../domain/usage/usage.ts';

/** Beyond this many different queries each one counts as new. */
const QUERIES_MAX = 1_000;
/** The first generation that is billed by query; older ones are billed once per grounded answer. */
const BY_QUERY_SINCE = 3;

/**
 * Counts searches. A stream may repeat a candidate's queries or add to them from event to event: a query counts as
 * often as it stands in the one list that holds it most often.
 */
export class GroundingTally {
  readonly #most = new Map<string, number>();
  #queries = 0;

  /** All queries of one JSON document, over its candidates. */
  add(queries: readonly string[]): void {
    const here = new Map<string, number>();
    for (const query of queries) {
      const count = (here.get(query) ?? 0) + 1;
      here.set(query, count);
      if (count <= (this.#most.get(query) ?? 0)) continue;
      this.#queries++;
      if (this.#most.size < QUERIES_MAX) this.#most.set(query, count);
    }
  }

  /** @param model the model that answered */
  uses(model: string | null): UseCounts {
    if (this.#queries === 0) return {};
    return billsByQuery(model) ? { groundingQuery: this.#queries } : { groundedPrompt: 1 };
  }
}

function billsByQuery(model: string | null): boolean {
  const generation = /gemini-(\d+)/.exec(model ?? '')?.[1];
  return generation === undefined || Number(generation) >= BY_QUERY_SINCE;
}
