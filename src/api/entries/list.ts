import { z } from 'zod';
import { LIMITS } from '../../config.ts';
import { readPeriod } from '../../core/period.ts';
import { entriesPage, periodQuery } from '../contract.ts';
import { endpoint } from '../endpoint.ts';
import { filterQuery, readFilter } from '../usage/dimensions.ts';
import { wholeNumber } from '../whole-number.ts';
import { entryView } from './entry-view.ts';

const flag = z.enum(['true', 'false']).optional();

export const listEntries = endpoint({
  method: 'GET',
  path: '/api/mcp/entries',
  summary: 'List entries, newest first, page by page',
  description:
    'The last page has no `next`. With a filter that few entries pass, a page before it may hold few or none.',
  scope: 'usage:read',
  right: 'read',
  query: periodQuery.extend({
    ...filterQuery.shape,
    uncertain: flag,
    unpriced: flag,
    limit: wholeNumber(1, LIMITS.entriesPageMax).default(50).meta({ description: 'Default: 50' }),
    cursor: z.string().optional().meta({ description: '`next` of the page before' }),
  }),
  answer: entriesPage,
  async handle({ caller, query }, { clock, reports }) {
    const { rows, next } = await reports.entriesPage(caller.workspaceId, {
      range: readPeriod(query.startDate, query.endDate, clock()),
      filter: {
        ...readFilter(query),
        ...(query.uncertain !== undefined && { uncertain: query.uncertain === 'true' }),
        ...(query.unpriced !== undefined && { unpriced: query.unpriced === 'true' }),
      },
      cursor: query.cursor ?? null,
      limit: query.limit,
      scanMax: LIMITS.entriesScanMax,
    });
    return { entries: rows.map(entryView), next };
  },
});
