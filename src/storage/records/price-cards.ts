import type { RateCard } from '../../domain/pricing/price.ts';
import type { Context } from './context.ts';
import type { PriceCardRecords } from './price-records.ts';
import type { Db } from './tables.ts';

export function priceCardRecords({ db }: Context): PriceCardRecords {
  return {
    keep: (cards) => db.transaction().execute((tx) => keepCards(tx, cards)),
    async get(version) {
      const row = await db.selectFrom('price_cards').select('card').where('version', '=', version).executeTakeFirst();
      return row ? (JSON.parse(row.card) as RateCard) : null;
    },
  };
}

export async function keepCards(db: Db, cards: readonly RateCard[]): Promise<void> {
  for (const card of cards)
    await db
      .insertInto('price_cards')
      .values({ version: card.version, card: JSON.stringify(card) })
      .onConflict((conflict) => conflict.column('version').doNothing())
      .execute();
}
