import type { RateCard } from '../../domain/pricing/price.ts';
import { newId } from '../../lib/crypto/id.ts';
import { audited } from './audit.ts';
import { type RecordContext, notFound, requireRoom, requireWorkspace } from './context.ts';
import { archiveCards } from './price-cards.ts';
import type { PriceRecords, CustomPrice } from './price-records.ts';
import type { RecordDb, RecordTables } from './tables.ts';

const PRICES_PER_WORKSPACE_MAX = 10_000;

export function priceRecords(context: RecordContext): PriceRecords {
  const { db, clock } = context;
  return {
    set: (workspaceId, card, actor) =>
      audited(context, actor, async (tx, note) => {
        await requireWorkspace(tx, workspaceId);
        const prices = await listPriceRows(tx, workspaceId);
        const old = prices.find((row) => sameModel(row, card));
        if (old) await tx.deleteFrom('user_prices').where('id', '=', old.id).execute();
        else requireRoom(prices.length, PRICES_PER_WORKSPACE_MAX, 'prices of its own');
        const row = {
          id: newId('price', clock),
          workspace_id: workspaceId,
          provider: card.provider,
          model: card.model,
          valid_from: card.from,
          card: JSON.stringify(card),
          created_at: clock(),
        };
        await tx.insertInto('user_prices').values(row).execute();
        await archiveCards(tx, [card]);
        const before = old ? { card: readCard(old) } : null;
        await note({ workspaceId, action: 'price.set', subject: row.id, before, after: { card } });
        return toCustomPrice(row);
      }),
    list: async (workspaceId) => (await listPriceRows(db, workspaceId)).map(toCustomPrice),
    remove: (workspaceId, id, actor) =>
      audited(context, actor, async (tx, note) => {
        const query = tx
          .selectFrom('user_prices')
          .selectAll()
          .where('workspace_id', '=', workspaceId)
          .where('id', '=', id);
        const row = await query.executeTakeFirst();
        if (!row) throw notFound('price', id);
        await tx.deleteFrom('user_prices').where('id', '=', id).execute();
        await note({ workspaceId, action: 'price.remove', subject: id, before: { card: readCard(row) }, after: null });
      }),
    async all() {
      const rows = await db.selectFrom('user_prices').select(['workspace_id', 'card']).execute();
      return rows.map((row) => ({ workspaceId: row.workspace_id, card: readCard(row) }));
    },
  };
}

type PriceRow = RecordTables['user_prices'];

function readCard({ card }: Pick<PriceRow, 'card'>): RateCard {
  return JSON.parse(card) as RateCard;
}

function sameModel(row: PriceRow, { provider, model, from }: RateCard): boolean {
  return row.provider === provider && row.model === model && row.valid_from === from;
}

function listPriceRows(db: RecordDb, workspaceId: string): Promise<PriceRow[]> {
  return db
    .selectFrom('user_prices')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .orderBy('provider')
    .orderBy('model')
    .orderBy('valid_from')
    .execute();
}

function toCustomPrice(row: PriceRow): CustomPrice {
  return { id: row.id, workspaceId: row.workspace_id, card: readCard(row), createdAt: row.created_at };
}
