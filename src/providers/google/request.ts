import { NO_DEMAND } from '../../core/demand.ts';
import { TollbookError } from '../../core/errors.ts';
import { scanPlan } from '../../lib/json-scan-plan.ts';
import type { InferenceRoute, RequestFacts, Splice } from '../provider.ts';
import { inferenceRoute, type RequestBody } from '../request-body.ts';
import { openGenerateReader } from './answer.ts';

/** Role marks and the words around tools. */
const PREAMBLE_TOKENS_MAX = 2_048;

/** Names that can stand in a path without changing it. */
export const MODEL_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

const PLAN = scanPlan(
  {
    model: {},
    contents: {},
    'systemInstruction|system_instruction': {},
    tools: {},
    'cachedContent|cached_content': {},
    'serviceTier|service_tier': {},
    'generationConfig|generation_config': {
      'maxOutputTokens|max_output_tokens': {},
      'candidateCount|candidate_count': {},
      'responseModalities|response_modalities': {},
      'thinkingConfig|thinking_config': { 'thinkingBudget|thinking_budget': {} },
    },
  },
  // Media, and tools that the provider runs itself and whose results become input.
  Object.fromEntries(
    [
      'inlineData',
      'fileData',
      'googleSearch',
      'googleSearchRetrieval',
      'googleMaps',
      'urlContext',
      'codeExecution',
      'fileSearch',
    ]
      .flatMap((name) => [name, name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)])
      .map((name) => [name, null]),
  ),
);

/** `POST /{version}/models/{model}:generateContent` or `:streamGenerateContent` */
export function generateRoute(
  version: string,
  model: string,
  action: 'generateContent' | 'streamGenerateContent',
): InferenceRoute {
  return inferenceRoute(action, PLAN, (body) => factsOf(body, version, model, action, []));
}

/** The form with the model in the body, where the provider wouldn't know it: it is cut out. */
export const bareRoute: InferenceRoute = inferenceRoute('generateContent', PLAN, (body) => {
  const model = body.model().replace(/^models\//, '');
  if (!MODEL_NAME.test(model))
    throw new TollbookError('invalid', `"${model}" is no model name: use letters, digits, ".", "_" and "-".`, 'model');
  const member = body.find('model');
  return factsOf(body, 'v1beta', model, 'generateContent', member ? [body.cut(member)] : []);
});

function factsOf(
  body: RequestBody,
  version: string,
  model: string,
  action: string,
  splices: readonly Splice[],
): RequestFacts {
  const candidates = Math.max(1, body.count('generationConfig.candidateCount') ?? 1);
  const declared = body.count('generationConfig.maxOutputTokens');
  const stream = action === 'streamGenerateContent';
  return {
    upstreamPath: `/${version}/models/${model}:${action}`,
    model,
    stream,
    splices,
    demand: {
      ...NO_DEMAND,
      textBytes: body.bytes.length,
      preambleTokens: PREAMBLE_TOKENS_MAX,
      beyondBody: body.notes() || body.uses('cachedContent'),
      outputMax: declared === 0 ? null : declared,
      answers: candidates,
    },
    forward: () => splices,
    counter: null,
    openReader: (answer) => openGenerateReader({ model, stream, candidates }, answer),
  };
}
