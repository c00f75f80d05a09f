import { TollbookError } from '../../domain/errors.ts';
import { NO_DEMAND, NO_WORK, type RequestDemand } from '../../domain/limits/demand.ts';
import { OPEN_ARRAY, parseSlice, QUOTE } from '../../lib/json/bytes.ts';
import { expecting } from '../../lib/json/scan-plan.ts';
import { AS_IT_IS, type ForwardPlan, buildSplices } from '../forward-plan.ts';
import { readEndpoint } from '../router-max-price.ts';
import type { InferenceRoute, RequestFacts } from '../provider.ts';
import { unlistedWork } from '../demand-tally.ts';
import { inferenceRoute, type RequestBody, type RequestReader } from '../request-body.ts';
import { openChatReader } from './chat-answer.ts';
import { askForUsage, type ChatForm, THOUGHT_TOKENS_MAX } from './chat-request.ts';
import { COMPLETIONS_HARMLESS } from './harmless-fields.ts';
import { COMPLETIONS_PLAN } from './request-plan.ts';
import { PREAMBLE_TOKENS_MAX, tierWord } from './request-terms.ts';

/** A list of prompts is parsed to count them, so its size is limited. */
const PROMPT_LIST_BYTES_MAX = 1_048_576;
const PROMPTS_MAX = 10_000;

type CompletionsForm = Pick<
  ChatForm,
  'prefix' | 'includeUsage' | 'own' | 'obeysMaxPrice' | 'thinksBeyondMax' | 'readCost' | 'harmless' | 'deployments'
>;

/** `POST /completions`, the older form without messages: each prompt is continued `n` times. */
export function completionsRoute(form: CompletionsForm): InferenceRoute {
  const plan = expecting(COMPLETIONS_PLAN, [...COMPLETIONS_HARMLESS, ...form.harmless]);
  return inferenceRoute('completions', plan, () => new CompletionsReader(form), null, form.deployments);
}

class CompletionsReader implements RequestReader {
  readonly #form: CompletionsForm;

  constructor(form: CompletionsForm) {
    this.#form = form;
  }

  receive(): void {}

  facts(body: RequestBody): RequestFacts {
    const { prefix, includeUsage, own, readCost } = this.#form;
    const model = body.model();
    const stream = body.isTrue('stream');
    const usageEdit = stream && includeUsage ? askForUsage(body) : null;
    // Some servers take 0 as no maximum.
    const outputMax = own ? body.count('max_tokens') : body.count('max_tokens') || null;
    const { maxPrice, ...choice } = this.#readChoice(body);
    const forwarding: ForwardPlan = {
      maxima: [{ place: body.place('max_tokens'), says: outputMax }],
      tier: body.place('service_tier'),
      tierSays: body.text('service_tier'),
      maxPrice,
      always: usageEdit,
    };
    return {
      upstreamPath: `${prefix}/completions`,
      model,
      stream,
      splices: buildSplices(forwarding, AS_IT_IS),
      demand: { ...this.#readDemand(body, model, outputMax), ...choice },
      outputField: 'max_tokens',
      tools: null,
      forward: (terms) => buildSplices(forwarding, terms),
      counter: null,
      openReader: (answer) => openChatReader(usageEdit !== null, answer, readCost),
    };
  }

  /** Reads unknown fields, and those by which another model or endpoint may answer. */
  #readChoice(
    body: RequestBody,
  ): Pick<RequestDemand, 'work' | 'anyModel' | 'hasEndpoints'> & Pick<ForwardPlan, 'maxPrice'> {
    const { own, obeysMaxPrice } = this.#form;
    const chosen = MODEL_CHOICES.find((name) => body.uses(name));
    let phrase = chosen ?? body.stranger;
    let anyModel = chosen !== undefined;
    const note = (choice: string): void => {
      phrase = choice;
      anyModel = true;
    };
    const maxPrice = own ? undefined : readEndpoint(body, obeysMaxPrice, true, note);
    return { work: phrase === null ? NO_WORK : unlistedWork(phrase), anyModel, hasEndpoints: obeysMaxPrice, maxPrice };
  }

  #readDemand(body: RequestBody, model: string, outputMax: number | null): RequestDemand {
    const { own, obeysMaxPrice, thinksBeyondMax } = this.#form;
    const prompts = countPrompts(body);
    const tier = tierWord(body);
    const beyondBody = body.notes();
    const isOnePrompt = prompts === 1 && !obeysMaxPrice;
    return {
      ...NO_DEMAND,
      textBytes: body.textBytes,
      preambleTokens: PREAMBLE_TOKENS_MAX,
      beyondBody,
      listedWindows: isOnePrompt ? null : Number(beyondBody),
      outputMax,
      answers: prompts * Math.max(body.answers('n'), body.answers('best_of')),
      thoughtTokens: thinksBeyondMax(model) ? THOUGHT_TOKENS_MAX : 0,
      tier,
      pinTier: own && tier === null ? 'default' : null,
    };
  }
}

/** Fields by which a router chooses another model. */
const MODEL_CHOICES = ['models', 'preset'];

/** Counts the prompts: a text or a list of tokens is one, a list of these is several. */
function countPrompts(body: RequestBody): number {
  const span = body.find('prompt');
  if (!span || body.bytes[span.start] === QUOTE) return 1;
  if (body.bytes[span.start] !== OPEN_ARRAY) throw notAPrompt();
  if (span.end - span.start > PROMPT_LIST_BYTES_MAX)
    throw new TollbookError(
      'invalid',
      `"prompt" is a list of more than ${PROMPT_LIST_BYTES_MAX} bytes. Send its prompts in several requests.`,
      'prompt',
    );
  const list = parseSlice(body.bytes, span.start, span.end);
  if (!Array.isArray(list)) throw notAPrompt();
  if (list.every(isToken)) return 1;
  if (!list.every(isPrompt)) throw notAPrompt();
  if (list.length > PROMPTS_MAX)
    throw new TollbookError('invalid', `"prompt" may have at most ${PROMPTS_MAX} prompts.`, 'prompt');
  return list.length;
}

function isToken(value: unknown): boolean {
  return typeof value === 'number';
}

function isPrompt(value: unknown): boolean {
  return typeof value === 'string' || (Array.isArray(value) && value.every(isToken));
}

function notAPrompt(): TollbookError {
  return new TollbookError('invalid', '"prompt" must be a text, a list of texts, or tokens.', 'prompt');
}
