import type { CallAmounts, Entry } from '../domain/usage/call.ts';

const NAME_CHARS_MAX = 512;
/** What is counted for a call whose own bound can't be kept: nothing is known of it. */
const NOTHING: CallAmounts = { usd: null, inputTokens: 0, outputTokens: 0 };

/**
 * What can still be kept of an entry that the store refuses: that the call was, when, by which key, and that its usage
 * can't be told. One such entry must not keep every later call out of the book.
 */
export function withoutUsage(entry: Entry): Entry {
  const hold = isKept(entry.hold) ? entry.hold : NOTHING;
  return {
    ...entry,
    requestedModel: shortened(entry.requestedModel),
    model: shortened(entry.model),
    tags: {},
    requestId: shortened(entry.requestId),
    responseId: shortened(entry.responseId),
    doubt: 'unreadable',
    usageSource: 'none',
    usage: null,
    cost: null,
    provenance: null,
    firstByteMs: null,
    hold,
    counted: hold,
  };
}

function isKept({ usd, inputTokens, outputTokens }: CallAmounts): boolean {
  return [usd ?? 0, inputTokens, outputTokens].every((amount) => Number.isSafeInteger(amount) && amount >= 0);
}

function shortened(name: string | null): string | null {
  return name === null ? null : name.slice(0, NAME_CHARS_MAX).toWellFormed();
}
