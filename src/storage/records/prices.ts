import type { RateCard, WorkspaceCard } from '../../domain/pricing/price.ts';
import { newId } from '../../lib/crypto/id.ts';
import { type Actor, audited } from './audit.ts';
import { type ChangeCheck, notFound, type RecordContext, requireRoom, requireWorkspace } from './context.ts';
import type { RecordDb, RecordTables } from './tables.ts';

export function priceCardRecords({ db }: RecordContext): PriceCardRecords {
  return {
    keep: (cards) => db.transaction().execute((tx) => archiveCards(tx, cards)),
    async get(version) {
      const row = await db.selectFrom('price_cards').select('card').where('version', '=', version).executeTakeFirst();
      return row ? (JSON.parse(row.card) as RateCard) : null;
    },
  };
}

async function archiveCards(db: RecordDb, cards: readonly RateCard[]): Promise<void> {
  for (const card of cards)
    await db
      .insertInto('price_cards')
      .values({ version: card.version, card: JSON.stringify(card) })
      .onConflict((conflict) => conflict.column('version').doNothing())
      .execute();
}

const PRICES_PER_WORKSPACE_MAX = 10_000;

export function priceRecords(context: RecordContext): PriceRecords {
  const { db, clock } = context;
  return {
    set: (workspaceId, card, actor) =>
      audited(context, actor, async (tx, note) => {
        await requireWorkspace(tx, workspaceId);
        const prices = await listPriceRows(tx, workspaceId);
        const old = prices.find((row) => isSamePrice(readCard(row), card));
        if (old) await tx.deleteFrom('custom_prices').where('id', '=', old.id).execute();
        else requireRoom(prices.length, PRICES_PER_WORKSPACE_MAX, 'custom prices');
        const row = {
          id: newId('price', clock),
          workspace_id: workspaceId,
          provider: card.provider,
          model: card.model,
          valid_from: card.from,
          card: JSON.stringify(card),
          created_at: clock(),
        };
        await tx.insertInto('custom_prices').values(row).execute();
        await archiveCards(tx, [card]);
        const before = old ? { card: readCard(old) } : null;
        await note({ workspaceId, action: 'price.set', subject: row.id, before, after: { card } });
        return toCustomPrice(row);
      }),
    list: async (workspaceId) => (await listPriceRows(db, workspaceId)).map(toCustomPrice),
    remove: (workspaceId, id, actor, check) =>
      audited(context, actor, async (tx, note) => {
        const query = tx
          .selectFrom('custom_prices')
          .selectAll()
          .where('workspace_id', '=', workspaceId)
          .where('id', '=', id);
        const row = await query.executeTakeFirst();
        if (!row) throw notFound('price', id);
        check?.(toCustomPrice(row));
        await tx.deleteFrom('custom_prices').where('id', '=', id).execute();
        await note({ workspaceId, action: 'price.remove', subject: id, before: { card: readCard(row) }, after: null });
      }),
    async all() {
      const rows = await db.selectFrom('custom_prices').select(['workspace_id', 'card']).execute();
      return rows.map((row) => ({ workspaceId: row.workspace_id, card: readCard(row) }));
    },
  };
}

type PriceRow = RecordTables['custom_prices'];

function readCard({ card }: Pick<PriceRow, 'card'>): RateCard {
  return JSON.parse(card) as RateCard;
}

/** Tests whether one of two custom prices replaces the other. */
export function isSamePrice(a: RateCard, b: RateCard): boolean {
  return a.provider === b.provider && a.model === b.model && a.from === b.from;
}

function listPriceRows(db: RecordDb, workspaceId: string): Promise<PriceRow[]> {
  return (
    db
      .selectFrom('custom_prices')
      .selectAll()
      .where('workspace_id', '=', workspaceId)
      .orderBy('provider')
      .orderBy('model')
      // Named, because engines differ.
      .orderBy('valid_from', (order) => order.asc().nullsFirst())
      .execute()
  );
}

function toCustomPrice(row: PriceRow): CustomPrice {
  return { id: row.id, workspaceId: row.workspace_id, card: readCard(row), createdAt: row.created_at };
}

export interface CustomPrice {
  readonly id: string;
  readonly workspaceId: string;
  readonly card: RateCard;
  readonly createdAt: number;
}

export interface PriceRecords {
  /** Replaces the workspace's card of the same provider, model and start. Archives the card in `priceCards`. */
  set(workspaceId: string, card: RateCard, actor: Actor): Promise<CustomPrice>;
  list(workspaceId: string): Promise<CustomPrice[]>;
  remove(workspaceId: string, id: string, actor: Actor, check?: ChangeCheck<CustomPrice>): Promise<void>;
  /** Returns the custom prices of all workspaces, for the price book. */
  all(): Promise<WorkspaceCard[]>;
}

/** Every rate card that priced an entry, by version, so that each cost can be explained. */
export interface PriceCardRecords {
  /** Archives cards; known versions are skipped. */
  keep(cards: readonly RateCard[]): Promise<void>;
  get(version: string): Promise<RateCard | null>;
}
