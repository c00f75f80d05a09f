import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { LIMITS } from '../config.ts';
import { TollbookError } from '../domain/errors.ts';
import { readPeriod } from '../domain/time/period.ts';
import type { ReportRestStore } from '../storage/report-rest.ts';
import type { BookedEntry, EntriesQuery, Reports } from '../storage/store.ts';
import { periodQuery } from '../contract/usage.ts';
import { endpoint } from './http/endpoint.ts';
import { entryView } from './entries/entry-view.ts';
import { filterQuery, readFilter } from './usage/filter.ts';
import { passesFilter } from './usage/session-usage.ts';
import { ENTRY_COLUMNS, FOCUS_COLUMNS } from './export/columns.ts';
import type { ExportContext } from './export/columns.ts';
import { restEntry } from './export/rest-rows.ts';
import { csvLine } from '../lib/csv.ts';

const FORMATS = ['csv', 'jsonl', 'focus'] as const;
const CSV = 'text/csv; charset=utf-8; header=present';
const JSONL = 'application/jsonl; charset=utf-8';

export const exportEntries = endpoint({
  method: 'GET',
  path: '/api/manage/export',
  summary: 'Export entries, newest first',
  description:
    'csv and jsonl have the fields of an entry (csv the name of its key too), focus the columns of the FinOps FOCUS specification 1.2. After the entries stands what organizations’ reports hold beyond them: source provider_report, a row for each UTC day, provider and model.',
  scope: 'admin',
  right: 'read',
  query: periodQuery.extend({ format: z.enum(FORMATS).default('csv'), ...filterQuery.shape }),
  answer: z.string(),
  streams: ['text/csv', 'application/jsonl'],
  async handle({ caller, query }, { clock, records, reports, reportRest, providers }) {
    const workspace = await records.workspaces.get(caller.workspaceId);
    const keyNames = new Map((await records.keys.list(workspace.id)).map(({ id, name }) => [id, name]));
    const context = {
      workspace,
      providerName: (id: string) => providers.get(id)?.name ?? id,
      keyName: (id: string) => keyNames.get(id) ?? null,
    };
    const range = readPeriod(query.startDate, query.endDate, clock());
    const filter = readFilter(query);
    const pages = concatPages(readPages(reports, workspace.id, { range, filter }), () =>
      restPage(reportRest, workspace.id, { range, filter }),
    );
    const extension = query.format === 'focus' ? 'focus.csv' : query.format;
    return new Response(ReadableStream.from(writeLines(query.format, pages, context)), {
      headers: {
        'content-type': query.format === 'jsonl' ? JSONL : CSV,
        'content-disposition': `attachment; filename="tollbook-${workspace.id}.${extension}"`,
      },
    });
  },
});

/** A page is read when the one before has been taken, so that memory holds one page however slow the reader is. */
async function* readPages(
  reports: Reports,
  workspaceId: string,
  query: Pick<EntriesQuery, 'range' | 'filter'>,
): AsyncGenerator<readonly BookedEntry[]> {
  let cursor: string | null = null;
  let rowCount = 0;
  do {
    const page = await reports.entriesPage(workspaceId, {
      ...query,
      cursor,
      limit: LIMITS.entriesPageMax,
      scanMax: LIMITS.entriesScanMax,
    });
    rowCount += page.rows.length;
    // The file must not look complete when it is not: breaking off makes the transfer fail.
    if (rowCount > LIMITS.exportRowsMax)
      throw new TollbookError(
        'impossible',
        `An export has at most ${LIMITS.exportRowsMax} rows; take a shorter period.`,
      );
    yield page.rows;
    cursor = page.next;
    // Others are served between two pages, also where a page holds nothing.
    await setImmediate();
  } while (cursor !== null);
}

/** A row for each day and model, so that one page holds them all. */
async function restPage(
  reportRest: Pick<ReportRestStore, 'rests'>,
  workspaceId: string,
  { range, filter }: Pick<EntriesQuery, 'range' | 'filter'>,
): Promise<readonly BookedEntry[]> {
  const rests = (await reportRest.rests(workspaceId, range)).filter(({ provider, model }) =>
    passesFilter({ source: 'provider_report', provider, model }, filter),
  );
  return rests.toSorted((a, b) => b.day - a.day).map((rest) => restEntry(workspaceId, rest));
}

async function* concatPages(
  pages: AsyncGenerator<readonly BookedEntry[]>,
  last: () => Promise<readonly BookedEntry[]>,
): AsyncGenerator<readonly BookedEntry[]> {
  yield* pages;
  yield await last();
}

async function* writeLines(
  format: (typeof FORMATS)[number],
  pages: AsyncGenerator<readonly BookedEntry[]>,
  context: ExportContext,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  const columns = format === 'focus' ? FOCUS_COLUMNS : ENTRY_COLUMNS;
  if (format !== 'jsonl') yield encoder.encode(csvLine(Object.keys(columns)));
  const write = (booked: BookedEntry): string =>
    format === 'jsonl'
      ? `${JSON.stringify(entryView(booked))}\n`
      : csvLine(Object.values(columns).map((column) => column(booked, context)));
  for await (const rows of pages) {
    // FOCUS has charges: a call that never left is none.
    const shown = format === 'focus' ? rows.filter(({ entry }) => entry.outcome !== 'not_sent') : rows;
    if (shown.length > 0) yield encoder.encode(shown.map(write).join(''));
  }
}
