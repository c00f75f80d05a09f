import type { FirstCall } from './provider.ts';

/** A small call for a test of a provider. */
export interface TestCall {
  /** Path after the base URL of clients. */
  readonly path: string;
  readonly body: string;
}

/** Enough for an answer; the least that OpenAI's responses take. */
const OUTPUT_TOKENS = 16;

/** Names of the maximum of an answer, by path. Other calls keep what they say. */
const MAXIMA: ReadonlyMap<string, string> = new Map([
  ['/chat/completions', 'max_tokens'],
  ['/responses', 'max_output_tokens'],
]);

/** The model of a path: `/models/NAME:generateContent`, `/model/NAME/converse`. */
const MODEL_IN_PATH = /(\/models?\/).+(?=:generateContent$|\/converse$)/;

/** Returns the first call of a provider with another model and a short answer. */
export function buildTestCall({ path, body }: FirstCall, model: string): TestCall {
  const fields: unknown = JSON.parse(body.join(''));
  if (typeof fields !== 'object' || fields === null) throw new Error('The first call of a provider is a JSON object.');
  const maximum = MAXIMA.get(path);
  if (!('model' in fields))
    return {
      path: path.replace(MODEL_IN_PATH, (_, before: string) => before + encodeURIComponent(model)),
      body: JSON.stringify(fields),
    };
  return { path, body: JSON.stringify({ ...fields, model, ...(maximum && { [maximum]: OUTPUT_TOKENS }) }) };
}
