import { PARTS_OF_REST } from '../../domain/limits/admission-rules.ts';
import type { RequestDemand } from '../../domain/limits/demand.ts';
import type { KnownBounds } from '../../domain/limits/cost-bound.ts';
import type { InferenceRequest } from './proxy-request.ts';

/** Uses of provider tools in a call that is shortened. */
const SHORTENED_TOOL_USES_MAX = 5;
/** A call that would get less than this many times the shortest output has its prompt counted first. */
const COUNT_BELOW_SHORTEST = 4;

/** Demand of a call, with the maxima that the gateway writes into it. */
export interface CallForm {
  readonly demand: RequestDemand;
  readonly given: KnownBounds;
  /** Maximum uses of tools that the gateway writes; null = as requested. */
  readonly toolUses: number | null;
}

/** A form of a call that fits under its limits. */
export interface ShorterForm extends CallForm {
  /** Output tokens of one answer. */
  readonly outputMax: number;
  readonly fits: boolean;
  /** The answer is so long that an exact count of the prompt is not worth the time. */
  readonly isAmple: boolean;
}

/** Reports whether a form fits under the limits of the call, in so many copies. */
export type FormFits = (form: CallForm, copies: number) => boolean;

/** Finds the forms to which one blocked call may be shortened. */
export class ShorterForms {
  readonly #request: InferenceRequest;
  readonly #whole: CallForm;
  /** Output tokens of one answer of the whole call. */
  readonly #longest: number;
  readonly #fits: FormFits;

  constructor(request: InferenceRequest, whole: CallForm, longest: number, fits: FormFits) {
    this.#request = request;
    this.#whole = whole;
    this.#longest = longest;
    this.#fits = fits;
  }

  /**
   * Returns the call with as many uses of tools as fit with the shortest output, and then with the longest output that
   * fits; the shortest form if none fits.
   */
  find(): ShorterForm {
    const shortest = this.#shortestOutput(this.#whole.demand);
    const tools = this.#limitTools((form) => this.#fits(this.#shorten(form, shortest), 1));
    const fitsIn = (outputMax: number, copies: number): boolean => this.#fits(this.#shorten(tools, outputMax), copies);
    const fits = fitsIn(shortest, 1);
    const outputMax = fits ? findLargest(shortest, this.#longest, (tokens) => fitsIn(tokens, PARTS_OF_REST)) : shortest;
    const ample = COUNT_BELOW_SHORTEST * this.#request.key.policy.minOutputTokens;
    const isAmple = fits && (outputMax === this.#longest || outputMax >= ample);
    return { ...this.#shorten(tools, outputMax), outputMax, fits, isAmple };
  }

  /** Reports whether an exact token count could help: with an empty prompt the call, or a longer form of it, would fit. */
  countHelps(shorter: ShorterForm | null): boolean {
    const fits = ({ given, ...form }: CallForm, copies: number): boolean =>
      this.#fits({ ...form, given: { ...given, inputTokens: 0 } }, copies);
    if (fits(this.#whole, 1)) return true;
    if (shorter === null) return false;
    const { outputMax } = shorter;
    const tools = { ...shorter, given: this.#whole.given };
    return shorter.fits
      ? fits(this.#shorten(tools, outputMax + 1), PARTS_OF_REST)
      : fits(this.#shorten(tools, outputMax), 1);
  }

  /** Limits the uses of tools to the largest number that fits, or to one. */
  #limitTools(fits: (form: CallForm) => boolean): CallForm {
    const { tools } = this.#request.facts;
    if (tools === null || fits(this.#whole)) return this.#whole;
    let uses = Math.min(SHORTENED_TOOL_USES_MAX, (tools.usesMax ?? Infinity) - 1);
    if (uses < 1) return this.#whole;
    const formWith = (toolUses: number): CallForm => ({ ...this.#whole, demand: tools.demandAt(toolUses), toolUses });
    let form = formWith(uses);
    while (uses > 1 && !fits(form)) form = formWith(--uses);
    return form;
  }

  /** Output tokens below which the call is of no use; as many as it asks for if that is less. */
  #shortestOutput({ thinkingLeast, outputLeast, liftsMaxUpTo }: RequestDemand): number {
    // The provider ignores a maximum up to `liftsMaxUpTo`, which falls with the thinking budget where that may be reduced.
    const ignored = thinkingLeast < outputLeast ? 0 : liftsMaxUpTo + 1;
    const least = Math.max(thinkingLeast + this.#request.key.policy.minOutputTokens, ignored);
    return Math.min(least, this.#longest);
  }

  /** Returns a form whose answer has this maximum. A thinking budget leaves room for the shortest answer. */
  #shorten(form: CallForm, outputMax: number): CallForm {
    if (outputMax === this.#longest) return form;
    const { thinkingLeast, outputLeast } = form.demand;
    const room = Math.max(thinkingLeast, outputMax - this.#request.key.policy.minOutputTokens);
    return { ...form, given: { ...form.given, outputMax, ...(room < outputLeast && { thinkingBudget: room }) } };
  }
}

/** Returns the largest number up to `most` that fits; `least` if none above it fits. */
function findLargest(least: number, most: number, fits: (value: number) => boolean): number {
  if (fits(most)) return most;
  let [fitting, tooLarge] = [least, most];
  while (tooLarge - fitting > 1) {
    const middle = Math.floor((fitting + tooLarge) / 2);
    if (fits(middle)) fitting = middle;
    else tooLarge = middle;
  }
  return fitting;
}
