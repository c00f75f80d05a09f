import type { AssistantCalls, NewestAssistantCalls, NewestUsesQuery } from '../usage-queries.ts';
import type { EntryReader } from './entry-reader.ts';
import type { SumGroup } from './entry-table.ts';
import type { SqlSteps } from './steps.ts';
import type { SumQuery } from './sum-query.ts';

const QUERY: SumQuery = {
  by: ['hour', 'session', 'session_hash', 'key', 'provider', 'model', 'operation'],
  tagKey: null,
  filter: {},
  times: true,
  ofAssistants: true,
};

/** Sums the newest calls of assistant sessions: whole parts of the range, newest first, until there are too many. */
export function* readAssistantCalls(
  reader: EntryReader,
  workspaceId: string,
  { range, entriesMax, valuesMax }: Pick<NewestUsesQuery, 'range' | 'entriesMax' | 'valuesMax'>,
): SqlSteps<NewestAssistantCalls> {
  const calls: AssistantCalls[] = [];
  let from = range.start;
  let entriesRead = 0;
  yield* reader.entries.sumNewest(reader, workspaceId, QUERY, range, (groups, start, entries) => {
    for (const group of groups) calls.push(...toAssistantCalls(group));
    from = start;
    entriesRead += entries;
    return entriesRead < entriesMax && calls.length < valuesMax;
  });
  return { calls, from };
}

function toAssistantCalls({ values, times, totals }: SumGroup): AssistantCalls[] {
  const [hour, session = null, sessionHash = null, keyId, provider, model = null, operation] = values;
  if (times === null || session === null || sessionHash === null) return [];
  return [
    {
      hour: Number(hour),
      session,
      sessionHash,
      keyId: keyId ?? '',
      provider: provider ?? '',
      model,
      operation: operation ?? '',
      firstAt: times.start,
      lastAt: times.end,
      totals,
    },
  ];
}
