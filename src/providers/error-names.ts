import { asObject, asText } from '../lib/json/values.ts';

/** Words by which a provider names its error. Its sentence is not read, because it may quote the request. */
export interface ErrorNames {
  /** null = none. */
  readonly code: string | null;
  /** The most exact word: the code, else the type or status; null = none. */
  readonly type: string | null;
}

/** A word of a fixed vocabulary. Anything else may be text of the request. */
const WORD = /^[A-Za-z][\w.-]{1,63}$/;

/** Reads the names of an error. Azure has a more exact code inside, for the models of every vendor. */
export function readErrorNames(error: unknown): ErrorNames {
  const fields = asObject(error);
  const code = asText(fields?.['code']) ?? asText(asObject(fields?.['innererror'])?.['code']);
  return { code, type: asErrorType(code) ?? asErrorType(fields?.['type']) ?? asErrorType(fields?.['status']) };
}

/** Returns a word that is safe to keep; null for anything else. */
export function asErrorType(value: unknown): string | null {
  const word = asText(value);
  return word !== null && WORD.test(word) ? word : null;
}
