import { hash } from 'node:crypto';
import { z } from 'zod';
import { LIMITS } from '../config.ts';
import { OUTCOMES } from '../domain/usage/call.ts';
import { LOCAL_SOURCES, sessionText } from '../domain/sessions/local-call.ts';
import { readUsd } from '../domain/money/money.ts';
import { readPeriod } from '../domain/time/period.ts';
import type { BookedEntry, EntryFilter, Reports } from '../storage/store.ts';
import { entriesPage, periodQuery } from '../contract/usage.ts';
import { endpoint } from './http/endpoint.ts';
import { filterQuery, readFilter } from './usage/filter.ts';
import { wholeNumber } from './whole-number.ts';
import { entryView } from './entries/entry-view.ts';

const flag = z.enum(['true', 'false']).optional();
/** Longer than any id there is. */
const ID_CHARACTERS_MAX = 256;

const entryQuery = filterQuery.extend({
  uncertain: flag,
  unpriced: flag,
  outcome: z.enum(OUTCOMES).optional(),
  session: z.string().optional().meta({ description: 'As `sessionHash` of an entry' }),
  minCost: z
    .string()
    .optional()
    .meta({ description: 'US dollars; calls that are known to have cost so much at least' }),
});

export const listEntries = endpoint({
  method: 'GET',
  path: '/api/mcp/entries',
  summary: 'List entries, newest first, page by page',
  description:
    'The last page has no `next`. With a filter that few entries pass, a page before it may hold few or none. With `find`, everything else but the page is left out, and all of the book is looked at.',
  scope: 'usage:read',
  right: 'read',
  query: periodQuery.extend({
    ...entryQuery.shape,
    find: z
      .string()
      .trim()
      .min(1)
      .max(ID_CHARACTERS_MAX)
      .optional()
      .meta({ description: "Id of a call, of a session, or the provider's of a request or an answer" }),
    limit: wholeNumber(1, LIMITS.entriesPageMax).default(50).meta({ description: 'Default: 50' }),
    cursor: z.string().optional().meta({ description: '`next` of the page before' }),
  }),
  answer: entriesPage,
  async handle({ caller: { workspaceId }, query }, { clock, reports }) {
    const asked = { cursor: query.cursor ?? null, limit: query.limit, scanMax: LIMITS.entriesScanMax };
    const { rows, next } =
      query.find === undefined
        ? await reports.entriesPage(workspaceId, {
            ...asked,
            range: readPeriod(query.startDate, query.endDate, clock()),
            filter: readEntryFilter(query),
          })
        : await findById(reports, workspaceId, query.find, asked);
    return { entries: rows.map(entryView), next };
  },
});

function readEntryFilter(query: z.output<typeof entryQuery>): EntryFilter {
  return {
    ...readFilter(query),
    ...(query.uncertain !== undefined && { uncertain: query.uncertain === 'true' }),
    ...(query.unpriced !== undefined && { unpriced: query.unpriced === 'true' }),
    ...(query.outcome !== undefined && { outcome: query.outcome }),
    ...(query.session !== undefined && { session: query.session.toLowerCase() }),
    ...(query.minCost !== undefined && { costMin: readUsd(query.minCost, 'minCost') }),
  };
}

const EVER = { start: 0, end: Number.MAX_SAFE_INTEGER };

type EntriesFound = Awaited<ReturnType<Reports['entriesPage']>>;

/** A session has many entries, everything else a few. */
async function findById(
  reports: Pick<Reports, 'find' | 'entriesPage'>,
  workspaceId: string,
  id: string,
  asked: { readonly cursor: string | null; readonly limit: number; readonly scanMax: number },
): Promise<EntriesFound> {
  const found: BookedEntry[] = asked.cursor === null ? await reports.find(workspaceId, id) : [];
  if (found.length > 0) return { rows: found.slice(0, asked.limit), next: null };
  for (const session of sessionHashes(id)) {
    const page = await reports.entriesPage(workspaceId, { ...asked, range: EVER, filter: { session } });
    if (page.rows.length > 0) return page;
  }
  return { rows: [], next: null };
}

/** The book knows sessions by a hash; people know the id that their assistant shows. */
function sessionHashes(id: string): string[] {
  return [id.toLowerCase(), ...LOCAL_SOURCES.map((source) => hash('sha256', sessionText(source, id)))];
}
