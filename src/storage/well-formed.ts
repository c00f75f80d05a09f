import { type CallContext, NO_CONTEXT } from '../domain/usage/call-context.ts';
import type { Entry } from '../domain/usage/call.ts';

/**
 * Replaces unpaired surrogates. Half a surrogate pair can come from a client (`"\ud800"` in a JSON body) and has no
 * UTF-8 form: two such texts would become one in a database and stay two in memory.
 */
export function wellFormed(entry: Entry): Entry {
  if (isWellFormed(entry)) return entry;
  const tags = Object.entries(entry.tags);
  const { session, agent, parentAgent, run, requestClass } = entry.context;
  return {
    ...entry,
    context: {
      session: session?.toWellFormed() ?? null,
      agent: agent?.toWellFormed() ?? null,
      parentAgent: parentAgent?.toWellFormed() ?? null,
      run: run?.toWellFormed() ?? null,
      requestClass: requestClass?.toWellFormed() ?? null,
    },
    model: entry.model?.toWellFormed() ?? null,
    requestedModel: entry.requestedModel?.toWellFormed() ?? null,
    requestId: entry.requestId?.toWellFormed() ?? null,
    responseId: entry.responseId?.toWellFormed() ?? null,
    tags: Object.fromEntries(tags.map(([key, value]) => [key.toWellFormed(), value.toWellFormed()])),
  };
}

/** Checks without allocating, because nearly all entries are well-formed. */
function isWellFormed({ model, requestedModel, requestId, responseId, tags, context }: Entry): boolean {
  if (context !== NO_CONTEXT && !isContextWellFormed(context)) return false;
  for (const key in tags) if (!key.isWellFormed() || tags[key]?.isWellFormed() === false) return false;
  return (
    model?.isWellFormed() !== false &&
    requestedModel?.isWellFormed() !== false &&
    requestId?.isWellFormed() !== false &&
    responseId?.isWellFormed() !== false
  );
}

function isContextWellFormed({ session, agent, parentAgent, run, requestClass }: CallContext): boolean {
  return [session, agent, parentAgent, run, requestClass].every((name) => name?.isWellFormed() !== false);
}
