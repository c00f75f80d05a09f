import type { Entry } from '../core/call.ts';

/**
 * Half a surrogate pair can come from the wire (`"\ud800"` in a JSON body) and has no UTF-8 form: two such texts
 * would become one in a database and in memory stay two. Every engine stores the replacement character instead.
 */
export function wellFormed(entry: Entry): Entry {
  const tags = Object.entries(entry.tags);
  const isWellFormed =
    [entry.model, entry.askedModel, entry.requestId, entry.responseId].every(
      (text) => text === null || text.isWellFormed(),
    ) && tags.every(([key, value]) => key.isWellFormed() && value.isWellFormed());
  if (isWellFormed) return entry;
  return {
    ...entry,
    model: entry.model?.toWellFormed() ?? null,
    askedModel: entry.askedModel?.toWellFormed() ?? null,
    requestId: entry.requestId?.toWellFormed() ?? null,
    responseId: entry.responseId?.toWellFormed() ?? null,
    tags: Object.fromEntries(tags.map(([key, value]) => [key.toWellFormed(), value.toWellFormed()])),
  };
}
