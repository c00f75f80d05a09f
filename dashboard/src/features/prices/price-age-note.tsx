import type { ReactNode } from 'react';
import type { PriceCoverage } from '../../../../src/contract/values.ts';
import { Note } from '../../shared/ui/note.tsx';

/** Age of the price lists; a warning once some of their prices have probably changed. */
export function PriceAgeNote({ lists }: { readonly lists: PriceCoverage['priceLists'] }): ReactNode {
  const checked = `Price lists checked on ${lists.checkedAt.slice(0, 10)} (${lists.days} days ago).`;
  if (!lists.isOld) return <p className="soft">{checked}</p>;
  return (
    <Note kind="warn">
      <p>
        {checked} Some prices have probably changed: update Tollbook, or set <code>SVC_PRICES_URL</code> to a list that
        is kept current.
      </p>
    </Note>
  );
}
