import { TollbookError } from '../domain/errors.ts';
import { findSource, LOCAL_SOURCES, type LocalSource, sourceSlug } from '../domain/sessions/local-call.ts';

/** Reads the name of an assistant that a person typed. */
export function readSource(text: string): LocalSource {
  const source = findSource(text);
  if (source) return source;
  const known = LOCAL_SOURCES.map(sourceSlug).join(', ');
  throw new TollbookError(
    'invalid',
    `"${text.slice(0, 40)}" is not a known assistant; use one of ${known}.`,
    'assistant',
  );
}
