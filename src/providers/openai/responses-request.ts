import type { ScanRecord } from '../../lib/json/scan-record.ts';
import { dataUrlBytes, DemandTally, textBytes } from '../demand-tally.ts';
import { AS_IT_IS, type ForwardPlan, buildSplices } from '../forward-plan.ts';
import { type CounterForm, PromptCounter } from '../prompt-counter.ts';
import type { DeploymentModels, InferenceRoute, RequestFacts } from '../provider.ts';
import { inferenceRoute, type RequestBody, type RequestReader } from '../request-body.ts';
import {
  openaiImageTokensMax,
  PREAMBLE_TOKENS_MAX,
  readBreakpoint,
  readCacheOptions,
  readReasoning,
  tierWord,
  unmetered,
} from './request-terms.ts';
import { RESPONSE_CREATE_PLAN, RESPONSES_PLAN } from './request-plan.ts';
import { RequestedTools } from './requested-tools.ts';
import { openResponseReader } from './response-answer.ts';

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

export function responsesRoute(prefix: string, deployments: DeploymentModels | null = null): InferenceRoute {
  return inferenceRoute('responses', RESPONSES_PLAN, () => new ResponsesReader(prefix), 'last_event', deployments);
}

/** Returns the route of a message `response.create` on a WebSocket. Its answer is always a stream. */
export function responseCreateRoute(prefix: string): InferenceRoute {
  return inferenceRoute('responses', RESPONSE_CREATE_PLAN, () => new ResponseCreateReader(prefix));
}

class ResponsesReader implements RequestReader {
  readonly #prefix: string;
  readonly #tally = new DemandTally();
  readonly #tools = new RequestedTools();
  /** Thresholds of compactions, in tokens; null = unknown. */
  readonly #compactAt: (number | null)[] = [];

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  receive(record: ScanRecord): void {
    if (record.kind === 'item') readResponseItem(record, this.#tally);
    else if (record.kind === 'part') readResponsePart(record, this.#tally);
    else if (record.kind === 'tool') this.#readTool(record);
    else if (record.kind === 'nested tool') this.#readNestedTool(record);
    else this.#compactAt.push(record.count('compact_threshold') || null);
  }

  facts(body: RequestBody): RequestFacts {
    if (body.uses('background'))
      throw unmetered('background', 'its usage arrives in another answer; send the request without it');
    const model = body.model();
    const says = body.count('max_output_tokens') || null;
    const { fees } = this.#tools;
    const demand = this.#readDemand(body, model, says);
    const forwarding: ForwardPlan = {
      maxima: [{ place: body.place('max_output_tokens'), says }],
      toolMaxima: this.#tools.areRequested
        ? [{ place: body.place('max_tool_calls'), says: body.count('max_tool_calls') }]
        : [],
      tier: body.place('service_tier'),
      tierSays: body.text('service_tier'),
      always: null,
    };
    return {
      upstreamPath: `${this.#prefix}/responses`,
      model,
      stream: body.isTrue('stream'),
      splices: buildSplices(forwarding, AS_IT_IS),
      demand,
      tools: this.#tally.cappableTools(demand),
      forward: (terms) => buildSplices(forwarding, terms),
      // Stored prompts are not counted, and pictures may be counted in another size than requested.
      counter:
        body.uses('prompt') || body.uses('image') || !this.#tally.isFixed
          ? null
          : new PromptCounter(body, `${this.#prefix}/responses/input_tokens`, COUNTER, '{'),
      openReader: (answer) => openResponseReader(answer, fees),
    };
  }

  #readDemand(body: RequestBody, model: string, outputMax: number | null): RequestFacts['demand'] {
    const tally = this.#tally;
    if (body.notes() || ['previous_response_id', 'conversation', 'prompt'].some((name) => body.uses(name)))
      tally.reference();
    if (body.notes() || body.uses('conversation')) tally.fetched();
    if (body.find('tools') || body.find('text.format')) tally.grow(body.compactGrowth);
    if (body.uses('multi_agent')) tally.unbounded('multi_agent');
    if (body.stranger !== null) tally.unlistedFee(body.stranger);
    if (body.uses('prompt')) tally.unbounded('prompt, which may add tools');
    readCacheOptions(body, tally);
    readReasoning(body, tally);
    const isAbsent = (body.value('max_tool_calls') ?? null) === null;
    this.#tools.addWork(tally, isAbsent ? null : body.count('max_tool_calls') || 'unclear');
    for (const threshold of this.#compactAt) addCompactions(threshold, outputMax, tally);
    const tier = tierWord(body);
    return tally.demand(body, model, openaiImageTokensMax, {
      preambleTokens: PREAMBLE_TOKENS_MAX,
      outputMax,
      pictureTokens: 0,
      answers: 1,
      outputLeast: 0,
      thinkingLeast: 0,
      liftsMaxUpTo: 0,
      speed: null,
      tier,
      geo: null,
      pinTier: tier === null ? 'default' : null,
    });
  }

  #readTool(tool: ScanRecord): void {
    const unknown = this.#tools.read(tool);
    if (unknown === null) return;
    const phrase = `tools[].${unknown.slice(0, 64)}`;
    if (IN_TOKENS.has(unknown)) this.#tally.unbounded(phrase);
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

function readResponseItem(item: ScanRecord, tally: DemandTally): void {
  const type = item.text('type') ?? (item.uses('role') ? 'message' : 'item_reference');
  if (TEXT_ITEM.test(type)) return;
  if (type === 'image_generation_call') {
    tally.images++;
    tally.media(textBytes(item, 'result'));
  } else if (type === 'compaction_trigger') tally.work(1, null, 'input[].compaction_trigger');
  else if (type === 'computer_call_output') return;
  else if (!SEALED_ITEMS.has(type) || textBytes(item, 'encrypted_content') === 0) tally.reference();
}

function readResponsePart(part: ScanRecord, tally: DemandTally): void {
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
  } else if (type === null || !TEXT_PARTS.has(type)) {
    tally.reference();
    tally.fetched();
  }
}
