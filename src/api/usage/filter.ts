import { z } from 'zod';
import { ENTRY_SOURCES } from '../../domain/usage/call.ts';
import { TollbookError } from '../../domain/errors.ts';
import { wholeNumber } from '../fields.ts';
import type { SeriesFilter } from '../../storage/usage-queries.ts';

/** What series and lists of entries can be narrowed to. */
export const filterQuery = z.object({
  source: z.enum(ENTRY_SOURCES).optional(),
  provider: z.string().optional(),
  model: z.string().optional(),
  keyId: z.string().optional(),
  status: wholeNumber(0, 999).optional(),
  tag: z.string().optional().meta({ description: 'key=value' }),
});

export function readFilter(query: z.output<typeof filterQuery>): SeriesFilter {
  return {
    ...(query.source !== undefined && { source: query.source }),
    ...(query.provider !== undefined && { provider: query.provider }),
    ...(query.model !== undefined && { model: query.model }),
    ...(query.keyId !== undefined && { keyId: query.keyId }),
    ...(query.status !== undefined && { status: query.status }),
    ...(query.tag !== undefined && { tag: readTagFilter(query.tag) }),
  };
}

/** Tags come as names of headers too, so that their keys are kept in lower case. */
export function foldTagKey(key: string): string {
  return key.trim().toLowerCase();
}

function readTagFilter(text: string): { key: string; value: string } {
  const at = text.indexOf('=');
  if (at < 1) throw new TollbookError('invalid', `"${text}" is not a tag; write key=value.`, 'tag');
  return { key: foldTagKey(text.slice(0, at)), value: text.slice(at + 1) };
}
