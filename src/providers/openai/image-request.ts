import { NO_DEMAND, NO_MEDIA, NO_WORK, type RequestDemand } from '../../domain/limits/demand.ts';
import { only, scanPlan, expecting } from '../../lib/json/scan-plan.ts';
import { fixedRequest } from '../fixed-request.ts';
import { formRoute, type FormBody } from '../form-body.ts';
import type { DeploymentModels, InferenceRoute, RequestFacts } from '../provider.ts';
import { inferenceRoute, type RequestBody } from '../request-body.ts';
import type { ReadStatedCost } from '../stated-cost.ts';
import { openImageReader } from './image-answer.ts';

/** Differences between providers of pictures. */
export interface ImageForm {
  readonly prefix: string;
  readonly readCost: ReadStatedCost;
  readonly deployments: DeploymentModels | null;
}

/** Fields of a request that decide the tokens of its pictures. */
interface AskedPictures {
  readonly model: string;
  readonly count: number;
  readonly size: string;
  readonly quality: string;
  /** Unfinished pictures that a stream shows before each one. */
  readonly partial: number;
  /** Phrase for a field with a cost that is not known; null = none. */
  readonly open: string | null;
  readonly textBytes: number;
}

/** OpenAI API reference, "Create image": the largest number of pictures. */
const PICTURES_MAX = 10;
/** The same of unfinished pictures, and the tokens of each. */
const PARTIAL_MAX = 3;
const PARTIAL_TOKENS = 100;
const PREAMBLE_TOKENS = 256;
const HARMLESS = [
  'background',
  'moderation',
  'output_compression',
  'prompt',
  'response_format',
  'safety_identifier',
  'style',
  'user',
];
const PLAN = expecting(
  scanPlan(
    {
      model: {},
      n: {},
      size: {},
      quality: {},
      partial_images: {},
      stream: {},
      output_format: {},
      svg: only({}, 'model'),
    },
    {},
  ),
  HARMLESS,
);

/** `POST /images/generations`. */
export function imagesRoute(form: ImageForm): InferenceRoute {
  return inferenceRoute(
    'images.generate',
    PLAN,
    () => ({ receive: () => undefined, facts: (body) => readGeneration(body, form) }),
    null,
    form.deployments,
  );
}

function readGeneration(body: RequestBody, form: ImageForm): RequestFacts {
  const format = body.text('output_format');
  // A drawing in lines is written by another model, and a film has many pictures.
  const unusual = format === 'svg' || format === 'gif' || body.uses('svg') ? 'output_format' : null;
  return pictureFacts(`${form.prefix}/images/generations`, form, body.isTrue('stream'), {
    model: body.model(),
    count: body.answers('n'),
    size: body.text('size') ?? 'auto',
    quality: body.text('quality') ?? 'auto',
    partial: body.uses('partial_images') ? (body.lenientCount('partial_images') ?? PARTIAL_MAX) : 0,
    open: body.stranger ?? unusual,
    textBytes: body.textBytes,
  });
}

const EDIT_FIELDS = {
  texts: [
    ...HARMLESS,
    'input_fidelity',
    'mask',
    'model',
    'n',
    'output_format',
    'partial_images',
    'quality',
    'size',
    'stream',
  ],
  lists: ['image'],
};

/** `POST /images/edits`, a form with pictures. */
export function imageEditsRoute(form: ImageForm): InferenceRoute {
  return formRoute('images.edit', EDIT_FIELDS, (sent) => readEdit(sent, form), form.deployments);
}

function readEdit(sent: FormBody, form: ImageForm): RequestFacts {
  const isStream = sent.text('stream')?.toLowerCase() === 'true';
  return pictureFacts(`${form.prefix}/images/edits`, form, isStream, {
    model: sent.model(),
    count: sent.number('n') ?? 1,
    size: sent.text('size') ?? 'auto',
    quality: sent.text('quality') ?? 'auto',
    partial: sent.number('partial_images') ?? 0,
    open:
      sent.stranger ??
      (sent.text('output_format') === 'gif' ? 'output_format' : 'image, whose tokens depend on its size'),
    textBytes: sent.textBytes,
  });
}

function pictureFacts(upstreamPath: string, form: ImageForm, stream: boolean, asked: AskedPictures): RequestFacts {
  const count = Math.min(asked.count, PICTURES_MAX);
  return fixedRequest({
    upstreamPath,
    model: asked.model,
    stream,
    demand: demandTokens(asked),
    openReader: (answer) => openImageReader(answer, stream ? count : 1, form.readCost),
  });
}

function demandTokens(asked: AskedPictures): RequestDemand {
  const { count, partial, open, textBytes } = asked;
  const tokens = pictureTokensMax(asked);
  const unclear = open ?? describeUnbounded(asked, tokens);
  return {
    ...NO_DEMAND,
    textBytes,
    preambleTokens: PREAMBLE_TOKENS,
    outputMax: (tokens ?? UNKNOWN_TOKENS) + partial * PARTIAL_TOKENS,
    answers: count,
    media: { ...NO_MEDIA, imageIn: true, imageOut: true },
    asked: ['outputImage'],
    work: unclear === null ? NO_WORK : { ...NO_WORK, unbounded: unclear },
    tier: 'default',
  };
}

function describeUnbounded({ model }: AskedPictures, tokens: number | null): string | null {
  if (WRITES_TEXT.test(model)) return `the text that ${model} writes with each picture`;
  return tokens === null ? `size and quality of a picture of ${model}` : null;
}

/** Models that bill text in addition to each picture: hundreds of tokens, and no figure of the most is published. */
const WRITES_TEXT = /^(?:gpt-image-1\.5|chatgpt-image)/;
/** Tokens of a picture without a published figure. It is unbounded all the same. */
const UNKNOWN_TOKENS = 6_240;
/** OpenAI docs, "Image generation", "Cost and latency": the most of one picture, by quality. */
const EARLY_TOKENS: ReadonlyMap<string, number> = new Map([
  ['low', 408],
  ['medium', 1_584],
  ['high', 6_240],
  ['auto', 6_240],
]);
const EARLY_MODELS = /^gpt-image-1(?:-mini)?(?:-20\d\d-\d\d-\d\d)?$/;
/** The same for its successor, of pictures in the three usual sizes: at most $0.2115, at $30 per million. */
const NEXT_TOKENS: ReadonlyMap<string, number> = new Map([
  ['low', 220],
  ['medium', 1_784],
  ['high', 7_050],
]);
const NEXT_MODELS = /^gpt-image-2(?:-20\d\d-\d\d-\d\d)?$/;
const USUAL_SIZES: ReadonlySet<string> = new Set(['1024x1024', '1024x1536', '1536x1024']);

/** Returns the most tokens of one picture; null = no figure is published. */
function pictureTokensMax({ model, size, quality }: AskedPictures): number | null {
  if (EARLY_MODELS.test(model)) return EARLY_TOKENS.get(quality) ?? null;
  return NEXT_MODELS.test(model) && USUAL_SIZES.has(size) ? (NEXT_TOKENS.get(quality) ?? null) : null;
}
