import type { FirstCall } from './provider.ts';

/** A small call for a test of a provider. */
export interface TestCall {
  /** Path after the base URL of clients. */
  readonly path: string;
  readonly body: string;
}

/** Enough for an answer; the least that OpenAI's responses take. */
const OUTPUT_TOKENS = 16;

/** Maximum of an answer, by the end of the path. Other calls have their own. */
const MAXIMA: readonly (readonly [path: RegExp, fields: object])[] = [
  [/\/chat\/completions$/, { max_tokens: OUTPUT_TOKENS }],
  [/\/responses$/, { max_output_tokens: OUTPUT_TOKENS }],
  [/\/v2\/chat$/, { max_tokens: OUTPUT_TOKENS }],
  [/:generateContent$/, { generationConfig: { maxOutputTokens: OUTPUT_TOKENS } }],
  [/\/converse$/, { inferenceConfig: { maxTokens: OUTPUT_TOKENS } }],
];

/** The model of a path: `/models/NAME:generateContent`, `/model/NAME/converse`. */
const MODEL_IN_PATH = /(\/models?\/).+(?=:generateContent$|\/converse$)/;
/** Characters that a path may not have. Of names of models, only Bedrock's ARNs have them. */
const NOT_PLAIN = /[^A-Za-z0-9._~:@+-]/g;

/** Returns the first call of a provider with another model and a short answer. */
export function buildTestCall({ path, body }: FirstCall, model: string): TestCall {
  const fields: unknown = JSON.parse(body.join(''));
  if (typeof fields !== 'object' || fields === null) throw new Error('The first call of a provider is a JSON object.');
  const maximum = MAXIMA.find(([end]) => end.test(path))?.[1];
  if ('model' in fields) return { path, body: JSON.stringify({ ...fields, model, ...maximum }) };
  return {
    path: path.replace(MODEL_IN_PATH, (_, before: string) => before + model.replace(NOT_PLAIN, encodeURIComponent)),
    body: JSON.stringify({ ...fields, ...maximum }),
  };
}
