import type { RateCard } from '../../domain/pricing/price.ts';
import type { RecordContext } from './context.ts';
import type { PriceCardRecords } from './price-records.ts';
import type { RecordDb } from './tables.ts';

export function priceCardRecords({ db }: RecordContext): PriceCardRecords {
  return {
    keep: (cards) => db.transaction().execute((tx) => archiveCards(tx, cards)),
    async get(version) {
      const row = await db.selectFrom('price_cards').select('card').where('version', '=', version).executeTakeFirst();
      return row ? (JSON.parse(row.card) as RateCard) : null;
    },
  };
}

export async function archiveCards(db: RecordDb, cards: readonly RateCard[]): Promise<void> {
  for (const card of cards)
    await db
      .insertInto('price_cards')
      .values({ version: card.version, card: JSON.stringify(card) })
      .onConflict((conflict) => conflict.column('version').doNothing())
      .execute();
}
