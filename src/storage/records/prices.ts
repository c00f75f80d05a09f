import type { RateCard } from '../../domain/pricing/price.ts';
import { newId } from '../../lib/crypto/id.ts';
import { audited } from './audit.ts';
import { type Context, notFound, requireRoom, requireWorkspace } from './context.ts';
import { keepCards } from './price-cards.ts';
import type { PriceRecords, UserPrice } from './price-records.ts';
import type { Db, Tables } from './tables.ts';

const PRICES_PER_WORKSPACE_MAX = 10_000;

export function priceRecords(context: Context): PriceRecords {
  const { db, clock } = context;
  return {
    set: (workspaceId, card, actor) =>
      audited(context, actor, async (tx, note) => {
        await requireWorkspace(tx, workspaceId);
        const prices = await rowsOf(tx, workspaceId);
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
        await keepCards(tx, [card]);
        const before = old ? { card: cardOf(old) } : null;
        await note({ workspaceId, action: 'price.set', subject: row.id, before, after: { card } });
        return fromRow(row);
      }),
    list: async (workspaceId) => (await rowsOf(db, workspaceId)).map(fromRow),
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
        await note({ workspaceId, action: 'price.remove', subject: id, before: { card: cardOf(row) }, after: null });
      }),
    async all() {
      const rows = await db.selectFrom('user_prices').select(['workspace_id', 'card']).execute();
      return rows.map((row) => ({ workspaceId: row.workspace_id, card: cardOf(row) }));
    },
  };
}

type Row = Tables['user_prices'];

function cardOf({ card }: Pick<Row, 'card'>): RateCard {
  return JSON.parse(card) as RateCard;
}

function sameModel(row: Row, { provider, model, from }: RateCard): boolean {
  return row.provider === provider && row.model === model && row.valid_from === from;
}

function rowsOf(db: Db, workspaceId: string): Promise<Row[]> {
  return db
    .selectFrom('user_prices')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .orderBy('provider')
    .orderBy('model')
    .orderBy('valid_from')
    .execute();
}

function fromRow(row: Row): UserPrice {
  return { id: row.id, workspaceId: row.workspace_id, card: cardOf(row), createdAt: row.created_at };
}
