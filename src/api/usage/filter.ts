import type { z } from 'zod';
import type { filterQuery } from '../../contract/routes/usage.ts';
import { parseTag } from '../../domain/usage/tags.ts';
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
    ...(query.tag !== undefined && { tag: parseTag(query.tag) }),
  };
}
