import { MODEL_NAME_CHARS_MAX, priceNames } from '../domain/pricing/model-names.ts';
import table from './output-maxima.json' with { type: 'json' };

/** Model names whose maxima are remembered, including unknown ones. */
const REMEMBERED_MAX = 10_000;

/** Provider → model → tokens. */
const LISTED = new Map<string, Map<string, number>>();
for (const { provider, models, tokens } of table.rows) {
  const names = LISTED.get(provider) ?? new Map<string, number>();
  for (const model of models) names.set(model, tokens);
  LISTED.set(provider, names);
}
for (const { provider, providers } of table.sameAs)
  LISTED.set(provider, new Map(providers.flatMap((each) => Array.from(LISTED.get(each) ?? []))));

/** Maximum output tokens of one answer of each model, including thinking. */
export class OutputMaxima {
  readonly #found = new Map<string, Map<string, number | null>>();
  #size = 0;

  /** Returns the maximum by the same name rules as prices; null = unknown, so only the context window bounds an answer. */
  find(priceProvider: string, model: string): number | null {
    const known = this.#found.get(priceProvider)?.get(model);
    if (known !== undefined) return known;
    if (model.length > MODEL_NAME_CHARS_MAX) return null;
    return this.#remember(priceProvider, model, findListed(priceProvider, model));
  }

  /** Remembers a maximum. Clears all when there are too many. */
  #remember(provider: string, model: string, tokens: number | null): number | null {
    if (this.#size >= REMEMBERED_MAX) {
      this.#found.clear();
      this.#size = 0;
    }
    const models = this.#found.get(provider) ?? new Map<string, number | null>();
    this.#found.set(provider, models.set(model, tokens));
    this.#size += 1;
    return tokens;
  }
}

function findListed(provider: string, model: string): number | null {
  const names = LISTED.get(provider);
  if (names) for (const name of priceNames(model)) if (names.has(name)) return names.get(name) ?? null;
  return null;
}
