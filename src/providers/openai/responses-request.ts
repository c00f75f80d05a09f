import { expecting, SCHEMA_REFERENCES, type ScanPlan } from '../../lib/json/scan-plan.ts';
import type { ScanRecord } from '../../lib/json/scan-record.ts';
import { argumentsGrowth, escapingGrowth } from '../../lib/json/template-growth.ts';
import { boundPreamble, dataUrlBytes, DemandTally, textBytes } from '../demand-tally.ts';
import { AS_IT_IS, type ForwardPlan, buildSplices } from '../forward-plan.ts';
import { type CounterForm, PromptCounter } from '../prompt-counter.ts';
import { neverShortened } from '../fixed-request.ts';
import type { InferenceRoute, RequestFacts } from '../provider.ts';
import { inferenceRoute, type RequestBody, type RequestReader } from '../request-body.ts';
import { readEndpoint } from '../router-max-price.ts';
import { type ChatForm, readForFee, THOUGHT_TOKENS_MAX } from './chat-request.ts';
import {
  openaiImageTokensMax,
  unknownImageTokens,
  PREAMBLE_TOKENS_MAX,
  readBreakpoint,
  readCacheOptions,
  readModelName,
  readReasoning,
  tierWord,
  unmetered,
} from './request-terms.ts';
import { COMPATIBLE_RESPONSES_PLAN, RESPONSE_CREATE_PLAN, RESPONSES_PLAN } from './request-plan.ts';
import { hostedTool, RequestedTools } from './requested-tools.ts';
import { openResponseReader } from './response-answer.ts';

/** Members for which the provider adds words. */
const WORDED = [
  'tools',
  'tool_choice',
  'text',
  'prompt',
  'conversation',
  'previous_response_id',
  'context_management',
  'multi_agent',
];
const TEXT_PARTS: ReadonlySet<string> = new Set([
  'input_text',
  'output_text',
  'text',
  'refusal',
  'summary_text',
  'reasoning_text',
]);

/**
 * Items that consist only of their text in the body. The API refuses an item or part with a member that its type doesn't
 * have (`unknown_parameter`), so that other members need no reading.
 */
const TEXT_ITEM =
  /^(?:message|(?:function|custom_tool|local_shell|shell|apply_patch|computer)_call(?:_output)?|mcp_\w+|tool_search_(?:call|output)|additional_tools|configuration_update|program(?:_output)?)$/;
/** Items that contain their text, or else refer to content stored at the provider. */
const SEALED_ITEMS: ReadonlySet<string> = new Set(['reasoning', 'compaction']);

/** Exceeds any answer of a model. */
const UNSAID_OUTPUT_TOKENS = 1_000_000;

const COUNTER: CounterForm = {
  members: [
    'model',
    'input',
    'instructions',
    'tools',
    'tool_choice',
    'parallel_tool_calls',
    'previous_response_id',
    'conversation',
    'reasoning',
    'text',
    'truncation',
  ],
  after: '}',
  answer: 'input_tokens',
  slack: { percent: 0, tokens: 0 },
};

/** Differences between providers of responses. */
export interface ResponsesForm extends Pick<
  ChatForm,
  'prefix' | 'own' | 'obeysMaxPrice' | 'thinksBeyondMax' | 'readCost' | 'harmless' | 'deployments'
> {
  /** Responses may run in the background, because they can be read later; absent = they may not. */
  readonly mayRunOn?: boolean;
}

/** `POST /responses`. */
export function responsesRoute(form: ResponsesForm): InferenceRoute {
  return inferenceRoute('responses', choosePlan(form), () => new ResponsesReader(form), 'last_event', form.deployments);
}

/** `POST /responses/compact`: a conversation is written shorter, in one answer that no field limits. */
export function compactRoute(form: ResponsesForm): InferenceRoute {
  return inferenceRoute(
    'responses.compact',
    choosePlan(form),
    () => new ResponsesReader(form, true),
    null,
    form.deployments,
  );
}

function choosePlan({ own, harmless }: ResponsesForm): ScanPlan {
  return own ? RESPONSES_PLAN : expecting(COMPATIBLE_RESPONSES_PLAN, harmless);
}

/** Returns the route of a message `response.create` on a WebSocket. Its answer is always a stream. */
export function responseCreateRoute(form: ResponsesForm): InferenceRoute {
  return inferenceRoute('responses', RESPONSE_CREATE_PLAN, () => new ResponseCreateReader(form));
}

class ResponsesReader implements RequestReader {
  readonly #form: ResponsesForm;
  /** The request is for a shorter form of its conversation. */
  readonly #compacts: boolean;
  readonly #tally = new DemandTally();
  readonly #tools = new RequestedTools();
  /** Also an item may define tools. */
  #definesTools = false;
  /** Thresholds of compactions, in tokens; null = unknown. */
  readonly #compactAt: (number | null)[] = [];

  readonly #anyEndpoint = (phrase: string): void => {
    this.#tally.anyModel(phrase);
    this.#tally.unlistedFee(phrase);
  };

  constructor(form: ResponsesForm, compacts = false) {
    this.#form = form;
    this.#compacts = compacts;
  }

  receive(record: ScanRecord): void {
    const { own } = this.#form;
    if (record.kind === 'item') readResponseItem(record, this.#tally, own);
    else if (record.kind === 'part') readResponsePart(record, this.#tally, own);
    else if (record.kind === 'tool' || record.kind === 'nested tool') {
      this.#definesTools = true;
      if (record.kind === 'tool') this.#readTool(record);
      else this.#readNestedTool(record);
    } else this.#compactAt.push(record.count('compact_threshold') || null);
  }

  facts(body: RequestBody): RequestFacts {
    const runsOn = body.uses('background');
    if (runsOn && (!this.#form.mayRunOn || this.#compacts))
      throw unmetered('background', 'its usage arrives in another answer; send the request without it');
    const { prefix, own, obeysMaxPrice, readCost } = this.#form;
    const model = body.model();
    const says = body.count('max_output_tokens') || null;
    const { fees } = this.#tools;
    const forwarding: ForwardPlan = {
      maxima: this.#compacts ? [] : [{ place: body.place('max_output_tokens'), says }],
      toolMaxima: this.#tools.areRequested
        ? [{ place: body.place('max_tool_calls'), says: body.count('max_tool_calls') }]
        : [],
      tier: body.place('service_tier'),
      tierSays: body.text('service_tier'),
      maxPrice: own ? undefined : readEndpoint(body, obeysMaxPrice, true, this.#anyEndpoint),
      always: null,
    };
    const demand = this.#readDemand(body, model, this.#compacts ? null : says);
    return {
      upstreamPath: `${prefix}/responses${this.#compacts ? '/compact' : ''}`,
      model,
      stream: body.isTrue('stream'),
      splices: buildSplices(forwarding, AS_IT_IS),
      demand: this.#compacts ? neverShortened(demand) : demand,
      outputField: this.#compacts ? null : 'max_output_tokens',
      tools: this.#tally.cappableTools(demand),
      forward: (terms) => buildSplices(forwarding, terms),
      ...(runsOn && { runsOn }),
      counter: this.#counter(body),
      openReader: (answer) => openResponseReader(answer, fees, readCost),
    };
  }

  /** Stored prompts are not counted, and pictures may be counted in another size than requested. */
  #counter(body: RequestBody): PromptCounter | null {
    const { own, prefix } = this.#form;
    const isCountable = own && !body.uses('prompt') && !body.uses('image') && this.#tally.isFixed;
    return isCountable ? new PromptCounter(body, `${prefix}/responses/input_tokens`, COUNTER, '{') : null;
  }

  #readDemand(body: RequestBody, model: string, outputMax: number | null): RequestFacts['demand'] {
    const tally = this.#tally;
    const { own } = this.#form;
    if (!own) this.#readRouted(body, model);
    if (body.notes() || ['previous_response_id', 'conversation', 'prompt'].some((name) => body.uses(name)))
      tally.reference();
    if (body.notes() || body.uses('conversation')) tally.fetched();
    if (body.find('tools') || body.find('text.format')) this.#growTools(body);
    if (body.uses('multi_agent')) tally.unbounded('multi_agent');
    if (body.stranger !== null) tally.unlistedFee(body.stranger);
    if (body.uses('prompt')) tally.unbounded('prompt, which may add tools');
    readCacheOptions(body, tally);
    readReasoning(body, tally);
    const isAbsent = (body.value('max_tool_calls') ?? null) === null;
    this.#tools.addWork(tally, isAbsent ? null : body.count('max_tool_calls') || 'unclear');
    for (const threshold of this.#compactAt) addCompactions(threshold, outputMax, tally);
    const tier = tierWord(body);
    if (this.#compacts && tier !== null && tier !== 'default')
      throw unmetered('service_tier', 'the answer does not say which tier served it');
    const imageTokens = own ? openaiImageTokensMax : unknownImageTokens;
    const demand = tally.demand(body, model, imageTokens, {
      preambleTokens:
        own && !this.#definesTools && !this.#compacts
          ? boundPreamble(body, WORDED, PREAMBLE_TOKENS_MAX)
          : PREAMBLE_TOKENS_MAX,
      outputMax,
      pictureTokens: 0,
      answers: 1,
      outputLeast: 0,
      thinkingLeast: 0,
      liftsMaxUpTo: 0,
      speed: null,
      tier,
      geo: null,
      pinTier: own && tier === null ? 'default' : null,
    });
    // Endpoints may have larger windows than the listed one.
    if (!this.#form.obeysMaxPrice) return demand;
    return { ...demand, listedWindows: demand.beyondBody ? 1 : 0, hasEndpoints: true };
  }

  /** Adds what tools may grow by where they become part of the prompt. */
  #growTools(body: RequestBody): void {
    const tally = this.#tally;
    if (this.#form.own) return tally.grow(body.compactGrowth);
    for (const name of ['tools', 'text']) tally.rewritten(body, name, escapingGrowth);
    tally.grow(body.templateGrowth);
  }

  /** Reads the choice among models, and what providers other than OpenAI may charge. */
  #readRouted(body: RequestBody, model: string): void {
    const tally = this.#tally;
    const { thinksBeyondMax } = this.#form;
    const names = [model];
    if (body.uses('models')) {
      const models = body.value('models');
      if (!Array.isArray(models)) tally.anyModel('models');
      for (const each of Array.isArray(models) ? models : []) {
        tally.reruns++;
        tally.otherModel(each, 'models[]');
        if (typeof each === 'string') names.push(each);
      }
    }
    for (const name of names) {
      readModelName(name, tally);
      if (thinksBeyondMax(name)) tally.thoughtTokens = THOUGHT_TOKENS_MAX;
    }
    if (body.uses('preset')) tally.anyModel('preset, which may add tools');
    if (body.notesAny(SCHEMA_REFERENCES)) tally.beyondBody();
  }

  #readTool(tool: ScanRecord): void {
    const unknown = this.#form.own ? this.#tools.read(tool) : hostedTool(tool);
    if (unknown === null) return;
    const phrase = `tools[].${unknown.slice(0, 64)}`;
    if (this.#form.own && IN_TOKENS.has(unknown)) this.#tally.unbounded(phrase);
    else this.#tally.unlistedFee(phrase);
  }

  /** Reads a tool in a namespace. A namespace in a namespace is not read. */
  #readNestedTool(tool: ScanRecord): void {
    if (tool.uses('tools')) this.#tally.unbounded('tools[].tools[].tools');
    this.#readTool(tool);
  }
}

class ResponseCreateReader extends ResponsesReader {
  override facts(body: RequestBody): RequestFacts {
    const facts = super.facts(body);
    // The provider may keep the previous response in the memory of this socket only, where its counter does not find it.
    const counter = body.uses('previous_response_id') ? null : facts.counter;
    return { ...facts, stream: true, counter };
  }
}

/** Tools without a bound whose whole charge is tokens that the answer reports. */
const IN_TOKENS: ReadonlySet<string> = new Set(['image_generation', 'mcp']);

/**
 * Counts compactions: a pass whenever the context grows over the threshold (OpenAI docs, "Compaction"). The prompt, each tool
 * result, and output of half the threshold may cause one, on the assumption that a compaction leaves at most the other half.
 */
function addCompactions(threshold: number | null, outputMax: number | null, tally: DemandTally): void {
  if (threshold === null) return tally.unbounded('context_management[] without compact_threshold');
  const output = outputMax ?? UNSAID_OUTPUT_TOKENS;
  tally.compactionPerUse();
  tally.work(1 + Math.ceil((2 * output) / threshold), null, 'context_management');
}

function readResponseItem(item: ScanRecord, tally: DemandTally, own: boolean): void {
  const type = item.text('type') ?? (item.uses('role') ? 'message' : 'item_reference');
  if (!own) {
    // Templates write calls of tools and their results as JSON or markup.
    tally.rewritten(item, 'arguments', argumentsGrowth);
    tally.rewritten(item, 'output', escapingGrowth);
  }
  if (TEXT_ITEM.test(type)) return;
  if (type === 'image_generation_call') {
    tally.images++;
    tally.media(textBytes(item, 'result'));
  } else if (type === 'compaction_trigger') tally.work(1, null, 'input[].compaction_trigger');
  else if (type === 'computer_call_output') return;
  else if (!SEALED_ITEMS.has(type) || textBytes(item, 'encrypted_content') === 0) tally.reference();
}

function readResponsePart(part: ScanRecord, tally: DemandTally, own: boolean): void {
  readBreakpoint(part, tally);
  const type = part.text('type');
  if (type === 'input_image' || type === 'computer_screenshot') {
    const inBody = dataUrlBytes(part, 'image_url');
    if (inBody === 0 && part.uses('image_url')) tally.fetched();
    tally.images++;
    tally.media(inBody);
  } else if (type === 'input_file') {
    if (part.uses('file_url')) tally.fetched();
    tally.reference();
    tally.media(textBytes(part, 'file_data'));
    if (!own) tally.unlistedFee(readForFee('file'));
  } else if (type === null || !TEXT_PARTS.has(type)) {
    tally.reference();
    tally.fetched();
    if (!own) tally.unlistedFee(readForFee(type ?? 'a part without a type'));
  }
}
