import type { Alert } from '../domain/alerts/alert.ts';
import { type CallAmounts, type Entry, isUnpriced } from '../domain/usage/call.ts';
import { TollbookError } from '../domain/errors.ts';
import type { PriceBook } from '../prices/price-book.ts';
import type { Provider } from '../providers/provider.ts';
import type { Records } from '../storage/records/records.ts';
import type { LimitService } from './limit-service.ts';
import { RateCardArchive } from './rate-card-archive.ts';
import { type SessionParts, computeMarkedSessions } from '../jobs/sessions.ts';
import type { Log } from '../lib/log.ts';
import type { AppendResult, EntryBatch, EntryStore, RollupOverflow } from '../storage/entry-store.ts';

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

const SHOWN_NAME_MAX = 100;

export interface AppenderParts {
  readonly entries: EntryStore;
  readonly priceCards: Pick<Records['priceCards'], 'keep'>;
  readonly prices: Pick<PriceBook, 'resolve'>;
  readonly providers: ReadonlyMap<string, Provider>;
  readonly raise: (alert: Alert) => Promise<void>;
}

/**
 * Returns a store that archives rate cards, raises alerts for unpriced calls, and then appends the batch. The first
 * two may be repeated; the batch is appended once.
 */
export function createEntryAppender({
  entries,
  priceCards,
  prices,
  providers,
  raise,
}: AppenderParts): Pick<EntryStore, 'append' | 'mark'> {
  const cards = new RateCardArchive(priceCards, prices, providers);
  return {
    mark: (journalId) => entries.mark(journalId),
    async append(batch) {
      await cards.keep(batch.entries);
      for (const alert of unpricedAlerts(batch.entries)) await raise(alert);
      const appended = await appendWhatCan(batch);
      for (const overflow of appended.overflowed) await raise(overflowAlert(overflow, batch.entries[0]?.endedAt ?? 0));
      return appended;
    },
  };

  /**
   * Appends a batch. Temporary errors such as a full disk are retried by the shipper. If the store refuses a value,
   * the entries are tried one by one, on an unchanged mark, and the refused entry is stored without its usage.
   */
  async function appendWhatCan(batch: EntryBatch): Promise<AppendResult> {
    try {
      return await entries.append(batch);
    } catch (error) {
      if (!isRefusedValue(error)) throw error;
      const alone = { journalId: batch.journalId, mark: await entries.mark(batch.journalId) };
      const kept: Entry[] = [];
      const alerts: Alert[] = [];
      for (const entry of batch.entries) {
        const refusal = await refusalOf(entry, alone);
        kept.push(refusal ? withoutUsage(entry) : entry);
        if (refusal) alerts.push(refusedAlert(entry, refusal));
      }
      const appended = await entries.append({ ...batch, entries: kept });
      for (const alert of alerts) await raise(alert);
      return appended;
    }
  }

  /** Returns why the store refuses an entry; null = stored. */
  async function refusalOf(entry: Entry, at: Omit<EntryBatch, 'entries'>): Promise<Error | null> {
    try {
      await entries.append({ ...at, entries: [entry] });
      return null;
    } catch (error) {
      if (isRefusedValue(error)) return error;
      throw error;
    }
  }
}

/** Returns one alert per episode, since an unpriced model may be called often. */
function unpricedAlerts(entries: readonly Entry[]): Iterable<Alert> {
  const alerts = new Map<string, Alert>();
  for (const entry of entries) {
    if (!isUnpriced(entry)) continue;
    const alert = unpricedAlert(entry);
    const key = JSON.stringify([alert.workspaceId, alert.episode]);
    if (!alerts.has(key)) alerts.set(key, alert);
  }
  return alerts.values();
}

function unpricedAlert({ workspaceId, provider, model, endedAt, callId }: Entry): Alert {
  const name = (model ?? '(none)').slice(0, SHOWN_NAME_MAX);
  return {
    type: 'UNPRICED_MODEL',
    severity: 'warning',
    workspaceId,
    title: `No price for ${name}`,
    message: `Calls to ${name} (${provider}) are recorded without a cost, because it has no known price. Set one under Prices in the dashboard, or with: tollbook prices set.`,
    episode: `unpriced:${provider}:${name}`,
    createdAt: endedAt,
    scope: { provider, model: name },
    value: null,
    threshold: null,
    period: null,
    evidence: { callId },
  };
}

/** SQLite result codes (low byte) about a value: TOOBIG, CONSTRAINT, MISMATCH, RANGE. */
const VALUE_ERRORS = new Set([18, 19, 20, 25]);

/** Returns true for an error about a value, false for an error of the store itself. */
function isRefusedValue(error: unknown): error is Error {
  if (!(error instanceof Error) || error instanceof TollbookError) return false;
  return !('errcode' in error) || (typeof error.errcode === 'number' && VALUE_ERRORS.has(error.errcode & 0xff));
}

function refusedAlert({ workspaceId, callId, endedAt }: Entry, error: Error): Alert {
  return {
    type: 'LEDGER_PROBLEM',
    severity: 'critical',
    workspaceId,
    title: 'A call was recorded without its usage',
    message: `The ledger could not store the usage of ${callId} (${error.message}). The call is recorded with unknown cost.`,
    episode: `refused:${callId}`,
    createdAt: endedAt,
    scope: {},
    value: null,
    threshold: null,
    period: null,
    evidence: { callId },
  };
}

function overflowAlert({ workspaceId, of, tagKey, day }: RollupOverflow, createdAt: number): Alert {
  const what = of === 'model' ? 'models' : of === 'tag_key' ? 'tag keys' : `values of the tag "${tagKey}"`;
  return {
    type: 'UNUSUAL_ACTIVITY',
    severity: 'warning',
    workspaceId,
    title: `Too many ${what}`,
    message: `There are more different ${what} than reports keep apart; further ones are shown together as (other). No call is lost.`,
    episode: `overflow:${of}:${tagKey ?? ''}:${day ?? ''}`,
    createdAt,
    scope: tagKey === null ? {} : { tag: tagKey },
    value: null,
    threshold: null,
    period: null,
    evidence: {},
  };
}

/** Returns a store that reports counter moves other than those of calls, which the gateway counts itself. */
export function withCounterEvents(entries: EntryStore, limits: Pick<LimitService, 'change'>): EntryStore {
  return {
    ...entries,
    append: (batch) => limits.change(() => entries.append(batch)),
    adjust: (adjustments, by) => limits.change(() => entries.adjust(adjustments, by)),
  };
}

type EntrySink = Pick<EntryStore, 'append' | 'mark'>;

/**
 * Returns a store that computes sessions again right after their calls are appended. A failure stays marked, is
 * retried, and never blocks calls.
 */
export function withSessionComputing(
  shipping: EntrySink,
  parts: Pick<SessionParts, 'sessions' | 'pricingOf'> & { readonly log: Log },
): EntrySink {
  return {
    mark: (journalId) => shipping.mark(journalId),
    async append(batch) {
      const appended = await shipping.append(batch);
      if (!batch.entries.some(({ sessionHash }) => sessionHash !== null)) return appended;
      try {
        await computeMarkedSessions(parts);
      } catch (error) {
        parts.log.error({ err: error }, 'could not compute the usage of sessions; trying again with the next batch');
      }
      return appended;
    },
  };
}
