import { TollbookError } from '../domain/errors.ts';

/** Builds the error for a provider that does not exist. @param param parameter of the request that names it */
export function unknownProvider(id: string, known: Iterable<string>, param = 'provider'): TollbookError {
  return new TollbookError('invalid', `There is no provider "${id}"; choose from ${[...known].join(', ')}.`, param);
}
