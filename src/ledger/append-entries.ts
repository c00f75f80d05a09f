import type { Alert } from '../domain/alerts/alert.ts';
import { type Entry, isUnpriced } from '../domain/usage/call.ts';
import type { PriceBook } from '../prices/price-book.ts';
import type { Provider } from '../providers/provider.ts';
import type { Records } from '../storage/records/records.ts';
import type { LimitCounting } from './worker-limits.ts';
import { RateCardArchive } from './rate-card-archive.ts';
import { appendStorable } from './append-storable.ts';
import { type ComputingParts, computeMarkedSessions } from '../jobs/sessions.ts';
import type { Log } from '../lib/log.ts';
import type { EntryStore, RollupOverflow } from '../storage/entry-store.ts';

const SHOWN_NAME_MAX = 100;

export interface AppenderParts {
  readonly entries: EntryStore;
  readonly priceCards: Pick<Records['priceCards'], 'keep'>;
  readonly prices: Pick<PriceBook, 'resolve' | 'contracts'>;
  readonly providers: ReadonlyMap<string, Provider>;
  readonly raise: (alert: Alert) => Promise<void>;
  /** Calls a listener when the database may lack what it had. */
  readonly onReplaced: (listener: () => void) => void;
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
  onReplaced,
}: AppenderParts): Pick<EntryStore, 'append' | 'mark'> {
  const cards = new RateCardArchive(priceCards, prices, providers);
  onReplaced(() => cards.forget());
  return {
    mark: (journalId) => entries.mark(journalId),
    async append(batch) {
      await cards.keep(batch.entries);
      for (const alert of unpricedAlerts(batch.entries)) await raise(alert);
      const appended = await appendStorable(batch, entries, raise);
      for (const overflow of appended.overflowed) await raise(overflowAlert(overflow, batch.entries[0]?.endedAt ?? 0));
      return appended;
    },
  };
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
export function withCounterEvents(entries: EntryStore, limits: Pick<LimitCounting, 'change'>): EntryStore {
  return {
    ...entries,
    append: (batch) => limits.change(() => entries.append(batch)),
    adjust: (adjustments, by) => limits.change(() => entries.adjust(adjustments, by)),
  };
}

/** Returns a store that calls `noticed` with each call that runs on in the background. */
export function withBackgroundReads(shipping: EntrySink, noticed: (entry: Entry) => void): EntrySink {
  return {
    mark: (journalId) => shipping.mark(journalId),
    async append(batch) {
      const appended = await shipping.append(batch);
      for (const entry of batch.entries) if (entry.uncertainReason === 'background') noticed(entry);
      return appended;
    },
  };
}

type EntrySink = Pick<EntryStore, 'append' | 'mark'>;

/**
 * Returns a store that joins observed calls and computes sessions again right after their calls are appended. A failure stays marked, is
 * retried, and never blocks calls.
 */
export function withSessionComputing(shipping: EntrySink, parts: ComputingParts & { readonly log: Log }): EntrySink {
  return {
    mark: (journalId) => shipping.mark(journalId),
    async append(batch) {
      const appended = await shipping.append(batch);
      if (appended.observed === 0 && !batch.entries.some(({ sessionHash }) => sessionHash !== null)) return appended;
      try {
        await computeMarkedSessions(parts);
      } catch (error) {
        parts.log.error({ err: error }, 'could not compute the usage of sessions; trying again with the next batch');
      }
      return appended;
    },
  };
}
