import { asObject, asText } from '../lib/json/values.ts';

/** Returns the code of an error. Azure has a more exact one inside, for the models of every vendor. */
export function readErrorCode(error: unknown): string | null {
  const fields = asObject(error);
  return asText(fields?.['code']) ?? asText(asObject(fields?.['innererror'])?.['code']);
}
