import {
  eachOrText,
  eachRecord,
  FREE,
  only,
  type ScanList,
  scanPlan,
  type ScanSpec,
} from '../../lib/json/scan-plan.ts';
import type { ScanRecord } from '../../lib/json/scan-record.ts';
import { claudeImageTokensMax, liftedUpTo, readBudget } from '../anthropic/request.ts';
import { DemandTally, readCacheControl, textBytes } from '../demand-tally.ts';
import { AS_IT_IS, buildSplices, type ForwardPlan, maximumWithin } from '../forward-plan.ts';
import type { InferenceRoute, RequestFacts } from '../provider.ts';
import { inferenceRoute, type RequestBody, type RequestReader } from '../request-body.ts';
import { openConverseReader } from './converse-answer.ts';

/** Role markers and the words around tools; see that of Anthropic's form. */
const PREAMBLE_TOKENS_MAX = 2_048;
const MAXIMUM = 'inferenceConfig.maxTokens';
const MODEL_FIELDS = 'additionalModelRequestFields';
const BUDGETS = [`${MODEL_FIELDS}.thinking.budget_tokens`, `${MODEL_FIELDS}.reasoning_config.budget_tokens`];
const IS_CLAUDE = /\bclaude\b/;

const CACHE: ScanSpec = { ttl: {} };
const MEDIA: ScanSpec = { source: { bytes: {} } };

/** Parts of a prompt: Bedrock API reference, `ContentBlock` and `ToolResultContentBlock`. */
function contentBlocks(depth: number): ScanList {
  return eachOrText('part', {
    text: {},
    image: MEDIA,
    document: {},
    video: {},
    audio: {},
    guardContent: {},
    toolUse: FREE,
    toolResult: { content: depth > 0 ? contentBlocks(depth - 1) : {} },
    reasoningContent: FREE,
    citationsContent: FREE,
    searchResult: FREE,
    json: FREE,
    cachePoint: CACHE,
  });
}

const THINKING = only({ budget_tokens: {} }, 'type', 'display');
const NOTED = ['bytes', 's3Location', 'cachePoint', 'systemTool'];

const CONVERSE_PLAN = scanPlan(
  {
    messages: eachOrText('message', only({ content: contentBlocks(1) }, 'role')),
    system: contentBlocks(0),
    inferenceConfig: only({ maxTokens: {} }, 'stopSequences', 'temperature', 'topP'),
    toolConfig: only(
      { tools: eachRecord('tool', only({ toolSpec: { inputSchema: FREE }, cachePoint: CACHE })) },
      'toolChoice',
    ),
    additionalModelRequestFields: only(
      { thinking: THINKING, reasoning_config: THINKING },
      'anthropic_beta',
      'output_config',
      'reasoning_effort',
      'top_k',
    ),
    performanceConfig: only({ latency: {} }),
    serviceTier: only({ type: {} }),
    promptVariables: {},
    // Members that cost nothing.
    additionalModelResponseFieldPaths: {},
    outputConfig: FREE,
    requestMetadata: FREE,
  },
  Object.fromEntries(NOTED.map((name) => [name, null])),
);

interface ConversePath {
  /** Path below the provider's `url`. */
  readonly upstreamPath: string;
  /** Model whose price applies. */
  readonly model: string;
  readonly stream: boolean;
}

/** `POST /model/{model}/converse` or `/converse-stream`: one form for the models of all vendors. */
export function converseRoute(path: ConversePath): InferenceRoute {
  return inferenceRoute('converse', CONVERSE_PLAN, () => new ConverseReader(path));
}

class ConverseReader implements RequestReader {
  readonly #tally = new DemandTally();
  readonly #path: ConversePath;

  constructor(path: ConversePath) {
    this.#path = path;
  }

  receive(record: ScanRecord): void {
    if (record.kind === 'part') readContentBlock(record, this.#tally);
    else if (record.kind === 'tool') {
      readCacheControl(record, this.#tally, 'cachePoint');
      if (record.strangers > 0) this.#tally.unlistedFee('toolConfig.tools[] with an unknown tool');
    }
  }

  facts(body: RequestBody): RequestFacts {
    const { upstreamPath, model, stream } = this.#path;
    this.#readBody(body);
    const says = body.count(MAXIMUM) || null;
    const maxima = [maximumWithin(body, body.place('inferenceConfig'), 'maxTokens', says)];
    const forwarding: ForwardPlan = { maxima, tier: null, tierSays: null, always: null };
    const budget = Math.max(...BUDGETS.map((path) => readBudget(body, path)));
    const demand = this.#tally.demand(body, model, imageTokensMax, {
      preambleTokens: PREAMBLE_TOKENS_MAX,
      outputMax: says,
      pictureTokens: 0,
      answers: 1,
      outputLeast: budget,
      thinkingLeast: budget,
      liftsMaxUpTo: liftedUpTo(budget, maxima),
      speed: body.word('performanceConfig.latency'),
      tier: body.word('serviceTier.type'),
      geo: null,
      pinTier: null,
    });
    return {
      upstreamPath,
      model,
      stream,
      splices: buildSplices(forwarding, AS_IT_IS),
      demand,
      outputField: MAXIMUM,
      tools: null,
      forward: (terms) => buildSplices(forwarding, terms),
      // The counter of Bedrock refuses most names of models in regions.
      counter: null,
      openReader: (answer) => openConverseReader(answer, model),
    };
  }

  #readBody(body: RequestBody): void {
    const tally = this.#tally;
    if (body.find('toolConfig'))
      tally.grow(IS_CLAUDE.test(this.#path.model) ? body.compactGrowth : body.templateGrowth);
    // Also a guardrail, which has a fee for each text.
    if (body.stranger !== null) tally.unlistedFee(body.stranger);
    if (body.notes('systemTool')) tally.unlistedFee('toolConfig.tools[].systemTool');
    if (body.notes('bytes') || body.notes('s3Location') || body.uses('promptVariables')) tally.reference();
    if (body.notes('cachePoint')) tally.cacheWrite('unknown');
  }
}

function readContentBlock(part: ScanRecord, tally: DemandTally): void {
  readCacheControl(part, tally, 'cachePoint');
  if (part.strangers > 0 || part.uses('document') || part.uses('video') || part.uses('guardContent')) tally.reference();
  if (part.uses('audio')) tally.audio();
  if (!part.uses('image')) return;
  tally.images++;
  tally.media(textBytes(part, 'image.source.bytes'));
}

function imageTokensMax(model: string): number | null {
  return IS_CLAUDE.test(model) ? claudeImageTokensMax() : null;
}
