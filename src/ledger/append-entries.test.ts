import { expect, test } from 'vitest';
import type { Alert } from '../domain/alerts/alert.ts';
import type { RateCard } from '../domain/pricing/price.ts';
import { fromPrices } from '../domain/pricing/provenance.ts';
import { createPriceBook } from '../prices/price-book.ts';
import { entryOf, FIRST_DAY } from '../../test/support/arbitrary-entry.ts';
import { openMemoryStore } from '../../test/support/memory-store/memory-store.ts';
import { createEntryAppender } from './append-entries.ts';

const MODEL = 'claude-haiku-4-5';
const card = createPriceBook().resolve('ws_default', 'anthropic', MODEL, FIRST_DAY);
const priced = { model: MODEL, requestedModel: MODEL, provenance: fromPrices([card?.version ?? '']) };

function booking(keep: (cards: readonly RateCard[]) => Promise<void>) {
  const alerts: Alert[] = [];
  const { entries } = openMemoryStore();
  const raise = async (alert: Alert) => void alerts.push(alert);
  const listeners: (() => void)[] = [];
  const onReplaced = (listener: () => void): void => void listeners.push(listener);
  const parts = { entries, priceCards: { keep }, prices: createPriceBook(), providers: new Map(), raise, onReplaced };
  const replaceDatabase = (): void => listeners.forEach((listener) => listener());
  return { alerts, entries, replaceDatabase, subject: createEntryAppender(parts) };
}

test('the card of a cost is stored once, and again after a failure; until then no entry is recorded', async () => {
  const kept: string[] = [];
  let full = true;
  const { subject, entries } = booking(async (cards) => {
    if (full) throw new Error('disk full');
    kept.push(...cards.map(({ version }) => version));
  });
  const batch = { journalId: 'j', mark: 2, entries: [entryOf('a', priced), entryOf('b', priced)] };
  await expect(subject.append(batch)).rejects.toThrow('disk full');
  expect(await entries.mark('j')).toBe(0);
  full = false;
  await subject.append(batch);
  await subject.append({ ...batch, mark: 3, entries: [entryOf('c', priced)] });
  expect(kept).toEqual([card?.version]);
});

test('the card of a cost is stored again once another database took over', async () => {
  const kept: string[] = [];
  const { subject, replaceDatabase } = booking(async (cards) => void kept.push(...cards.map(({ version }) => version)));
  await subject.append({ journalId: 'j', mark: 1, entries: [entryOf('a', priced)] });
  replaceDatabase();
  await subject.append({ journalId: 'j', mark: 2, entries: [entryOf('b', priced)] });
  expect(kept).toEqual([card?.version, card?.version]);
});

test('a model without a price is reported once per batch, with its first call', async () => {
  const { alerts, subject } = booking(async () => {});
  const unpriced = { model: 'made-up', uncertainReason: 'no_price', cost: null, provenance: null } as const;
  const calls = ['a', 'b'].map((id) => entryOf(id, unpriced));
  const other = entryOf('c', { ...unpriced, workspaceId: 'ws_other' });
  await subject.append({ journalId: 'j', mark: 3, entries: [...calls, other] });
  expect(alerts.map(({ workspaceId, evidence }) => [workspaceId, evidence['callId']])).toEqual([
    ['ws_default', 'a'],
    ['ws_other', 'c'],
  ]);
});
