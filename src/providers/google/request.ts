import { TollbookError } from '../../domain/errors.ts';
import type { ScanRecord } from '../../lib/json/scan-record.ts';
import { DemandTally, readModalities, textBytes } from '../demand-tally.ts';
import type { MemberPlace } from '../body-edits.ts';
import { AS_IT_IS, type ForwardPlan, buildSplices, maximumWithin } from '../forward-plan.ts';
import { type CounterForm, PromptCounter } from '../prompt-counter.ts';
import type { InferenceRoute, RequestFacts, TokenCounter } from '../provider.ts';
import { inferenceRoute, type RequestBody, type RequestReader } from '../request-body.ts';
import { openGenerateReader } from './answer.ts';
import { GENERATE_PLAN, MEDIA_NOTES, SERVER_TOOLS } from './request-plan.ts';

/** Model names that are safe in a path. */
export const MODEL_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

/** Role markers and the words around functions. The provider defines the functions of `computerUse`. */
const PREAMBLE_TOKENS_MAX = 2_048;
const COMPUTER_USE_TOKENS_MAX = 4_096;
/** Maximum tokens of one picture from Gemini 3 on (Gemini API docs, "Media resolution"). Older models have no maximum. */
const IMAGE_TOKENS_MAX = 2_240;
const OLDER_GENERATION = /^gemini-[12]\b|^(?!gemini-\d)/;

/** Gemini API docs, "Image generation": the most of one picture, at 4K. */
const PICTURE_TOKENS_MAX = 2_520;
const MAXIMUM = 'generationConfig.maxOutputTokens';
const THINKING_BUDGET = 'generationConfig.thinkingConfig.thinkingBudget';
/** No model needs a larger budget: Gemini API docs, "Thinking" (from 0, 128 or 512 tokens up, by model). */
const THINKING_TOKENS_MIN = 1_024;
/** Words for a video whose frames are all read once. */
const STATIC_PROCESSING: ReadonlySet<string> = new Set(['', 'static', 'media_processing_unspecified']);

/**
 * `countTokens` with the whole request, so that instructions and tools are counted. Its count of pictures and video
 * can be several times too low (googleapis/python-genai, "count_tokens and usage_metadata differ").
 */
const COUNTER: CounterForm = {
  members: ['contents', 'systemInstruction', 'tools', 'toolConfig', 'generationConfig'],
  after: '}}',
  answer: 'totalTokens',
  slack: { percent: 0, tokens: 0 },
};

/** On Vertex AI the members are those of the counter's own request. */
const VERTEX_COUNTER: CounterForm = {
  ...COUNTER,
  members: COUNTER.members.filter((name) => name !== 'toolConfig'),
  after: '}',
};

interface GeneratePath {
  /** Path of the model below the provider's `url`. */
  readonly modelPath: string;
  readonly model: string;
  readonly action: 'generateContent' | 'streamGenerateContent';
  /** Geography that the location on Vertex AI decides; null = the Gemini API. */
  readonly geo: string | null;
}

/** `POST /{version}/models/{model}:generateContent` or `:streamGenerateContent` */
export function generateRoute(version: string, model: string, action: GeneratePath['action']): InferenceRoute {
  return generateRouteAt({ modelPath: `/${version}/models/${model}`, model, action, geo: null });
}

/** The same at any path. */
export function generateRouteAt(path: GeneratePath): InferenceRoute {
  return inferenceRoute(path.action, GENERATE_PLAN, () => new GenerateReader(path), 'usage_metadata');
}

/** Route with the model in the body. The model is removed, because the provider does not know the member. */
export const bareRoute: InferenceRoute = inferenceRoute(
  'generateContent',
  GENERATE_PLAN,
  () => new GenerateReader(null),
);

class GenerateReader implements RequestReader {
  readonly #tally = new DemandTally();
  /** null = the model is in the body. */
  readonly #path: GeneratePath | null;

  constructor(path: GeneratePath | null) {
    this.#path = path;
  }

  receive(record: ScanRecord): void {
    if (record.kind === 'part') readGeminiPart(record, this.#tally);
    else if (record.kind === 'tool') readGeminiTool(record, this.#tally);
  }

  facts(body: RequestBody): RequestFacts {
    const asked = this.#path ?? bareGenerate(body);
    const { modelPath, model, action, geo } = asked;
    const answers = body.answers('generationConfig.candidateCount');
    const forwarding = readForwarding(body, this.#path === null);
    const demand = this.#readDemand(body, asked, answers);
    const stream = action === 'streamGenerateContent';
    return {
      upstreamPath: `${modelPath}:${action}`,
      model,
      stream,
      splices: buildSplices(forwarding, AS_IT_IS),
      demand,
      outputField: MAXIMUM,
      tools: null,
      forward: (terms) => buildSplices(forwarding, terms),
      counter: demand.beyondBody ? null : createGeminiCounter(body, asked, demand.mediaTokens),
      openReader: (answer) => openGenerateReader({ model, stream, candidates: answers, geo }, answer),
    };
  }

  #readDemand(body: RequestBody, { model, geo }: GeneratePath, answers: number): RequestFacts['demand'] {
    const tally = this.#tally;
    readStored(body, tally);
    readGeminiOutput(body, tally);
    const tier = body.word('serviceTier');
    const budget = body.lenientCount(THINKING_BUDGET) ?? 0;
    return tally.demand(body, model, geminiImageTokensMax, {
      preambleTokens: PREAMBLE_TOKENS_MAX,
      outputMax: body.lenientCount(MAXIMUM) || null,
      pictureTokens: PICTURE_TOKENS_MAX,
      answers,
      outputLeast: budget,
      thinkingLeast: Math.min(budget, THINKING_TOKENS_MIN),
      liftsMaxUpTo: 0,
      speed: null,
      tier: tier === null || tier === 'unspecified' ? 'standard' : tier,
      geo,
      pinTier: null,
    });
  }
}

function readStored(body: RequestBody, tally: DemandTally): void {
  if (TOOLS_AND_SCHEMAS.some((path) => body.find(path))) tally.grow(body.compactGrowth);
  if (body.stranger !== null) tally.unlistedFee(body.stranger);
  // A reference in a schema costs as many tokens as its target, at each place.
  if (body.notes()) tally.beyondBody();
  if (body.notesAny(MEDIA_NOTES) || body.uses('cachedContent') || body.uses('continuationToken')) tally.reference();
  // Gemini API reference, `CachedContent`: tools are stored with it, and the request may then have none.
  if (body.uses('cachedContent')) tally.unbounded('cachedContent, which may add tools');
  for (const path of CHOICES_OF_MODEL) if (body.uses(path)) tally.anyModel(`${path}, which may choose another model`);
}

/** Reads the kinds of output. A model that can make images or audio may do so unless the request says otherwise. */
function readGeminiOutput(body: RequestBody, tally: DemandTally): void {
  readModalities(body.words(MODALITIES), tally, MODALITIES);
  if (body.uses('generationConfig.responseFormat')) tally.unknownOutput('generationConfig.responseFormat');
  if (body.uses('generationConfig.speechConfig') || body.uses('generationConfig.translationConfig'))
    tally.mayDrawOrSpeak();
}

const TOOLS_AND_SCHEMAS = ['tools', 'generationConfig.responseSchema', 'generationConfig.responseJsonSchema'];
const MODALITIES = 'generationConfig.responseModalities';
const CHOICES_OF_MODEL = ['generationConfig.modelSelectionConfig', 'generationConfig.routingConfig'];

function geminiImageTokensMax(model: string): number | null {
  return OLDER_GENERATION.test(model) ? null : IMAGE_TOKENS_MAX;
}

function bareGenerate(body: RequestBody): GeneratePath {
  const model = body.model().replace(/^models\//, '');
  if (!MODEL_NAME.test(model))
    throw new TollbookError(
      'invalid',
      `"${model}" is not a valid model name. Use letters, digits, ".", "_" and "-".`,
      'model',
    );
  return { modelPath: `/v1beta/models/${model}`, model, action: 'generateContent', geo: null };
}

/**
 * Creates a counter of a prompt that is text, or text with pictures of a published maximum.
 * @param mediaTokens maximum tokens of the pictures, which the count may leave out
 */
function createGeminiCounter(
  body: RequestBody,
  { modelPath, model, geo }: GeneratePath,
  mediaTokens: number,
): TokenCounter {
  const [form, before] =
    geo === null ? [COUNTER, `{"generateContentRequest":{"model":"models/${model}",`] : [VERTEX_COUNTER, '{'];
  return new PromptCounter(body, `${modelPath}:countTokens`, form, before, mediaTokens);
}

function readGeminiPart(part: ScanRecord, tally: DemandTally): void {
  if (part.strangers > 0 || part.uses('fileData')) tally.reference();
  // The part says how many tokens its media take, or has the model look at it several times.
  if (part.uses('mediaResolution.numTokens')) tally.reference();
  if (!STATIC_PROCESSING.has(part.text('mediaProcessing')?.toLowerCase() ?? ''))
    tally.unbounded('parts[].mediaProcessing');
  if (!part.uses('inlineData')) return;
  const [kind] = (part.text('inlineData.mimeType') ?? '').toLowerCase().split('/');
  // Text is counted by its bytes.
  if (kind === 'text') return;
  if (kind === 'image') tally.images++;
  else if (kind === 'audio') tally.audio();
  else tally.reference();
  tally.media(textBytes(part, 'inlineData.data'));
}

function readGeminiTool(tool: ScanRecord, tally: DemandTally): void {
  const server = SERVER_TOOLS.find((name) => tool.uses(name));
  if (server !== undefined) tally.unbounded(`tools[].${server}`);
  const charged = UNLISTED_TOOLS.find((name) => tool.uses(name));
  if (charged !== undefined) tally.unlistedFee(`tools[].${charged}`);
  else if (tool.strangers > 0) tally.unlistedFee('tools[] with an unknown tool');
  if (tool.uses('computerUse')) tally.preambleTokens += COMPUTER_USE_TOKENS_MAX;
}

/** Tools whose fees are not on the price list of the Gemini API, or that answers do not count. */
const UNLISTED_TOOLS = ['enterpriseWebSearch', 'exaAiSearch', 'parallelAiSearch', 'retrieval'];

function readForwarding(body: RequestBody, bare: boolean): ForwardPlan {
  const model = bare ? body.find('model') : undefined;
  // A new member then replaces the model, and the commas around it stay.
  const gap = model ? { start: model.nameStart, end: model.end, comma: false } : body.gap;
  const place = (name: string): MemberPlace => ({ span: body.find(name) ?? null, gap, name });
  const cut = model && body.cut(model);
  const says = body.lenientCount(MAXIMUM) || null;
  return {
    maxima: [maximumWithin(body, place('generationConfig'), 'maxOutputTokens', says)],
    thinkingBudget: body.find(THINKING_BUDGET) && body.place(THINKING_BUDGET),
    tier: place('serviceTier'),
    tierSays: body.text('serviceTier'),
    always: cut
      ? (edits) => {
          if (edits.isOpen(gap)) edits.replace(cut, '');
        }
      : null,
  };
}
