import type { Alert } from '../domain/alerts/alert.ts';
import { NO_CONTEXT } from '../domain/usage/call-context.ts';
import type { CallAmounts, Entry } from '../domain/usage/call.ts';
import type { RefusedCall } from '../domain/usage/refused-call.ts';
import type { AppendResult, EntryBatch, EntryStore } from '../storage/entry-store.ts';
import { isRefusedValue } from '../storage/refused-value.ts';

const NAME_CHARS_MAX = 512;
/** Amounts of a call whose own bound can't be stored. */
const NOTHING: CallAmounts = { usd: null, inputTokens: 0, outputTokens: 0 };

/**
 * Returns the storable part of an entry that the store refuses: the call, its time and its key, with unknown usage.
 * One such entry must not block later calls.
 */
function withoutUsage(entry: Entry): Entry {
  const hold = isKept(entry.hold) ? entry.hold : NOTHING;
  return {
    ...entry,
    requestedModel: shortened(entry.requestedModel),
    model: shortened(entry.model),
    tags: {},
    requestId: shortened(entry.requestId),
    responseId: shortened(entry.responseId),
    uncertainReason: 'unreadable',
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

/** Returns the storable part of a refused call that the store refuses: its time, key, limit and reason. */
function withoutDetails(refused: RefusedCall): RefusedCall {
  return {
    ...refused,
    model: null,
    value: null,
    needed: null,
    left: null,
    tags: {},
    sessionHash: null,
    context: NO_CONTEXT,
  };
}

/**
 * Appends a batch. Temporary errors such as a full disk are retried by the shipper. If the store refuses a value, the
 * calls are tried one by one, on an unchanged mark. A refused one is stored without the values that may be the cause.
 */
export async function appendStorable(
  batch: EntryBatch,
  store: Pick<EntryStore, 'append' | 'mark'>,
  raise: (alert: Alert) => Promise<void>,
): Promise<AppendResult> {
  try {
    return await store.append(batch);
  } catch (error) {
    if (!isRefusedValue(error)) throw error;
    const part = { journalId: batch.journalId, mark: await store.mark(batch.journalId) };
    const entries: Entry[] = [];
    for (const entry of batch.entries) {
      const problem = await tryAppend(store, { ...part, entries: [entry] });
      entries.push(problem ? withoutUsage(entry) : entry);
      if (problem) await raise(incompleteEntryAlert(entry, problem));
    }
    const refused: RefusedCall[] = [];
    for (const call of batch.refused ?? []) refused.push(...(await storablePart(call)));
    return store.append({ ...batch, entries, refused });

    /** Returns what the store takes of a refused call. Nothing counts under it, so it may be nothing. */
    async function storablePart(call: RefusedCall): Promise<RefusedCall[]> {
      const problem = await tryAppend(store, { ...part, entries: [], refused: [call] });
      if (!problem) return [call];
      const less = withoutDetails(call);
      const isStored = (await tryAppend(store, { ...part, entries: [], refused: [less] })) === null;
      await raise(incompleteRefusalAlert(call, problem, isStored));
      return isStored ? [less] : [];
    }
  }
}

/** Returns why the store refuses a value; null = stored. */
async function tryAppend(store: Pick<EntryStore, 'append'>, batch: EntryBatch): Promise<Error | null> {
  try {
    await store.append(batch);
    return null;
  } catch (error) {
    if (isRefusedValue(error)) return error;
    throw error;
  }
}

function incompleteEntryAlert({ workspaceId, callId, endedAt }: Entry, error: Error): Alert {
  return problemAlert(workspaceId, callId, endedAt, {
    title: 'A call was recorded without its usage',
    message: `The ledger could not store the usage of ${callId} (${error.message}). The call is recorded with unknown cost.`,
  });
}

function incompleteRefusalAlert(
  { workspaceId, callId, at, calls }: RefusedCall,
  error: Error,
  isStored: boolean,
): Alert {
  const which = calls === 1 ? `the refused call ${callId}` : `${calls} refused calls (${callId})`;
  if (isStored)
    return problemAlert(workspaceId, callId, at, {
      title: 'A refused call was recorded without its details',
      message: `The ledger could not store all of ${which} (${error.message}). Key, limit and reason are recorded.`,
    });
  return problemAlert(workspaceId, callId, at, {
    title: 'A refused call was not recorded',
    message: `The ledger could not store ${which} (${error.message}). It was not sent and cost nothing.`,
  });
}

function problemAlert(
  workspaceId: string,
  callId: string,
  createdAt: number,
  text: Pick<Alert, 'title' | 'message'>,
): Alert {
  return {
    type: 'LEDGER_PROBLEM',
    severity: 'critical',
    workspaceId,
    ...text,
    episode: `refused:${callId}`,
    createdAt,
    scope: {},
    value: null,
    threshold: null,
    period: null,
    evidence: { callId },
  };
}
