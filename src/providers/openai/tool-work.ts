import type { Inference, UseCounts } from '../../domain/usage/usage.ts';
import { asCount, asObject, withoutZeros } from '../answer-tally.ts';
import type { ContainerFee, ToolFees } from './requested-tools.ts';

/** More containers in one answer are counted one by one, without looking for repeats. */
const CONTAINERS_MAX = 1_000;
/** Stands for the model behind the tool, which the answer does not name: it has a price only if the user gives it one. */
const PICTURE_MODEL = 'image_generation';

/** What an answer tells of one output item. */
export interface OutputItem {
  readonly type: string | null;
  readonly action: string | null;
  readonly container: string | null;
}

/** Work of the provider's own tools, counted from output items. */
export class ToolWork {
  items = 0;
  /** Pictures made: their tokens are told apart from the items, or not at all. */
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
    // Opening a page or looking into it is no search; an item without an action is of the time before there were others.
    if (type === 'web_search_call' && (action === null || action === 'search')) this.#webSearch++;
    else if (type === 'file_search_call') this.#fileSearch++;
    else if (type === 'image_generation_call') this.pictures++;
    else if (type === 'code_interpreter_call') this.#addContainer(container, this.#fees.interpreter);
    // A shell without a container runs at the client's.
    else if (type === 'shell_call' && container !== null) this.#addContainer(container, this.#fees.shell);
  }

  /** @param searches what the provider itself counted; null = it didn't say */
  uses(searches: number | null): UseCounts {
    const counts: UseCounts = withoutZeros({ [this.#fees.search]: searches ?? this.#webSearch });
    if (this.#fileSearch > 0) counts.fileSearch = this.#fileSearch;
    return { ...counts, ...this.#containers };
  }

  /** Containers of unknown size, each under the dearest fee; null = there are none. */
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

/** Billable searches, where the provider counts them itself; null = it doesn't. */
export function readSearches(toolUsage: unknown): number | null {
  const count = asObject(asObject(toolUsage)?.['web_search'])?.['num_requests'];
  return count === undefined || count === null ? null : asCount(count);
}

/** Tokens of the pictures that a tool made, as a pass of a model of its own; null = none are told. */
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
