import type { Inference, UseCounts } from '../../domain/usage/usage.ts';
import { asCount, asObject } from '../../lib/json/values.ts';
import { withoutZeros } from '../answer-tally.ts';
import type { ContainerFee, ToolFees } from './requested-tools.ts';

/** After this many containers in one answer, repeats are counted again. */
const CONTAINERS_MAX = 1_000;
/** Placeholder for the model behind the tool, which the answer does not name. It has a price only if it is custom. */
const PICTURE_MODEL = 'image_generation';

/** One output item of an answer. */
export interface OutputItem {
  readonly type: string | null;
  readonly action: string | null;
  readonly container: string | null;
}

/** Counts the work of the provider's own tools from output items. */
export class ToolWork {
  items = 0;
  /** Pictures made. Their tokens are reported separately from the items, or not at all. */
  pictures = 0;
  #webSearch = 0;
  #fileSearch = 0;
  readonly #fees: ToolFees;
  readonly #containers: UseCounts = {};
  readonly #openContainers: UseCounts = {};
  readonly #seen = new Set<string>();

  constructor(fees: ToolFees) {
    this.#fees = fees;
  }

  add({ type, action, container }: OutputItem): void {
    this.items++;
    // Opening or searching within a page is not a search. Items without an action are from before there were others.
    if (type === 'web_search_call' && (action === null || action === 'search')) this.#webSearch++;
    else if (type === 'file_search_call') this.#fileSearch++;
    else if (type === 'image_generation_call') this.pictures++;
    else if (type === 'code_interpreter_call') this.#addContainer(container, this.#fees.interpreter);
    // A shell without a container runs on the client.
    else if (type === 'shell_call' && container !== null) this.#addContainer(container, this.#fees.shell);
  }

  /**
   * Returns the uses of tools.
   * @param searches number counted by the provider; null = not reported
   */
  uses(searches: number | null): UseCounts {
    const counts: UseCounts = withoutZeros({ [this.#fees.search]: searches ?? this.#webSearch });
    if (this.#fileSearch > 0) counts.fileSearch = this.#fileSearch;
    return { ...counts, ...this.#containers };
  }

  /** Containers of unknown size, each with the highest fee; null = none. */
  get openUses(): UseCounts | null {
    return Object.keys(this.#openContainers).length > 0 ? this.#openContainers : null;
  }

  #addContainer(container: string | null, { use, known }: ContainerFee): void {
    if (container !== null && this.#seen.has(container)) return;
    const containers = known ? this.#containers : this.#openContainers;
    containers[use] = (containers[use] ?? 0) + 1;
    if (container !== null && this.#seen.size < CONTAINERS_MAX) this.#seen.add(container);
  }
}

/** Returns the billable searches that the provider counted; null = not reported. */
export function readSearches(toolUsage: unknown): number | null {
  const count = asObject(asObject(toolUsage)?.['web_search'])?.['num_requests'];
  return count === undefined || count === null ? null : asCount(count);
}

/** Returns the tokens of pictures made by a tool as a pass of a separate model; null = not reported. */
export function readPictures(toolUsage: unknown): Inference | null {
  const used = asObject(asObject(toolUsage)?.['image_gen']);
  if (used === null || asCount(used['total_tokens']) === 0) return null;
  const inputImage = asCount(asObject(used['input_tokens_details'])?.['image_tokens']);
  const output = asCount(asObject(used['output_tokens_details'])?.['text_tokens']);
  const tokens = withoutZeros({
    input: asCount(used['input_tokens']) - inputImage,
    inputImage,
    output,
    outputImage: asCount(used['output_tokens']) - output,
  });
  return { model: PICTURE_MODEL, tokens, promptTokens: null };
}
