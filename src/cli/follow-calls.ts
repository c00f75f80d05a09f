import type { RouteRequest } from '../contract/routes.ts';
import type { EntryShape } from '../contract/entries.ts';
import { TollbookError } from '../domain/errors.ts';
import { SseSplitter } from '../lib/http/sse.ts';
import type { Client } from './client.ts';

type EntriesQuery = NonNullable<RouteRequest<'GET /api/mcp/entries'>['query']>;

/** Newest calls that are compared with those before. Of more that end within a second, some are not shown. */
const READ_MAX = 500;

/**
 * Passes on the newest calls and then each call once it is recorded, oldest first, until the service is gone.
 * @param first number of newest calls to begin with
 */
export async function followCalls(
  client: Client,
  query: EntriesQuery,
  first: number,
  pass: (entries: readonly EntryShape[]) => void,
): Promise<never> {
  if (!client.isService) throw new TollbookError('unavailable', 'No service runs, so no call will come.');
  const read = async (): Promise<readonly EntryShape[]> => {
    const newest = { ...query, endDate: undefined, limit: String(READ_MAX) };
    return (await client.call('GET /api/mcp/entries', { query: newest })).entries;
  };
  let known = await read();
  pass(known.slice(0, first).toReversed());
  const passNew = async (): Promise<void> => {
    const ids = new Set(known.map(({ id }) => id));
    known = await read();
    const fresh = known.filter(({ id }) => !ids.has(id));
    if (fresh.length > 0) pass(fresh.toReversed());
  };
  try {
    // A stream ends after some minutes; calls in between are read when the next one opens.
    for (;;) await readLiveEvents(client, LIVE_EVENTS, passNew);
  } catch (error) {
    if (error instanceof TollbookError) throw error;
    throw new TollbookError('unavailable', 'The service was stopped.');
  }
}

/** Calls may be new when a stream opens, and after these were recorded. */
const LIVE_EVENTS: ReadonlySet<string> = new Set(['open', 'recorded']);

/** Waits for `react` after each event with one of the names, until the stream ends. */
async function readLiveEvents(client: Client, names: ReadonlySet<string>, react: () => Promise<void>): Promise<void> {
  let seen = false;
  const splitter = new SseSplitter({
    data: () => {},
    dispatch: (name) => {
      seen ||= names.has(name);
    },
  });
  for await (const piece of await client.stream('GET /api/live', {})) {
    splitter.push(piece);
    if (!seen) continue;
    seen = false;
    await react();
  }
}
