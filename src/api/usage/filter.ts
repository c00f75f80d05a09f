import type { z } from 'zod';
import type { filterQuery } from '../../contract/routes/usage.ts';
import { TollbookError } from '../../domain/errors.ts';
import type { SeriesFilter } from '../../storage/usage-queries.ts';

export function readFilter(query: z.output<typeof filterQuery>): SeriesFilter {
  return {
    ...(query.source !== undefined && { source: query.source }),
    ...(query.provider !== undefined && { provider: query.provider }),
    ...(query.model !== undefined && { model: query.model }),
    ...(query.keyId !== undefined && { keyId: query.keyId }),
    ...(query.status !== undefined && { status: query.status }),
    ...(query.session !== undefined && { session: query.session }),
    ...(query.agent !== undefined && { agent: query.agent }),
    ...(query.run !== undefined && { run: query.run }),
    ...(query.requestClass !== undefined && { requestClass: query.requestClass }),
    ...(query.tag !== undefined && { tag: readTagFilter(query.tag) }),
  };
}

/** Folds a tag key to lower case, because tags also arrive as header names. */
export function foldTagKey(key: string): string {
  return key.trim().toLowerCase();
}

function readTagFilter(text: string): { key: string; value: string } {
  const at = text.indexOf('=');
  if (at < 1) throw new TollbookError('invalid', `"${text}" is not a tag; write key=value.`, 'tag');
  return { key: foldTagKey(text.slice(0, at)), value: text.slice(at + 1) };
}
