import { type Actor, audited } from './audit.ts';
import type { RecordContext } from './context.ts';
import type { DocumentRecords } from './documents.ts';

/** A fetched price list that a person puts to use. */
interface AppliedPriceList {
  readonly id: string;
  readonly source: string;
  /** Number of changed prices, with the large changes. */
  readonly changes: number;
  readonly largeChanges: number;
  /** The document that the next start reads. */
  readonly text: string;
}

/** The fetched price list in use, kept in the document `prices.json`. */
export interface PriceListRecords {
  apply(list: AppliedPriceList, actor: Actor): Promise<void>;
}

export function priceListRecords(context: RecordContext, documents: DocumentRecords): PriceListRecords {
  return {
    // The document is written last, inside the transaction: where that fails, the audit row goes too.
    apply: ({ id, text, ...after }, actor) =>
      audited(context, actor, async (tx, note) => {
        await note({ workspaceId: null, action: 'price_list.apply', subject: id, before: null, after });
        await documents.write('prices.json', text, tx);
      }),
  };
}
