import type { ReactNode } from 'react';
import type { EntryDetail } from '../../../../src/contract/usage.ts';
import { amountText } from '../../shared/limits/limit-words.ts';
import { Instant } from '../../shared/theme/instant.tsx';
import { PageLink } from '../../shared/theme/page-link.tsx';
import { type TableColumn, DataTable } from '../../shared/ui/data-table.tsx';
import { isolated } from '../../shared/format/isolated.ts';

interface TouchedLimitsProps {
  readonly limits: EntryDetail['limits'];
}

type TouchedLimit = EntryDetail['limits'][number];

const touchedLimitColumns: readonly TableColumn<TouchedLimit>[] = [
  { id: 'limit', name: 'Limit', cell: (limit) => <LimitCell limit={limit} /> },
  { id: 'held', name: 'Held', figures: true, cell: ({ unit, held }) => amountText(unit, held) },
  { id: 'counted', name: 'Counted', figures: true, cell: ({ unit, counted }) => amountText(unit, counted) },
];

/** What each limit set aside for the call before it left, and what it counts since. */
export function TouchedLimits({ limits }: TouchedLimitsProps): ReactNode {
  if (limits.length === 0) return <p className="soft">None: no limit counted it when it was made.</p>;
  return (
    <DataTable
      name="Limits it counted under"
      columns={touchedLimitColumns}
      rows={limits}
      rowKey={({ id, unit, windowStart, value }) => [id, unit, windowStart, value].join(' ')}
    />
  );
}

function LimitCell({ limit }: { readonly limit: TouchedLimit }): ReactNode {
  const { id, label, scope, window, value, windowStart } = limit;
  if (id === null) return <span className="soft">a limit that is gone</span>;
  return (
    <>
      <PageLink to={`/limits/${id}`}>
        {label ?? `${window === 'total' ? 'total' : `per ${window ?? ''}`} for ${isolated(scope ?? '')}`}
      </PageLink>
      {value !== null && ` (${isolated(value)})`}
      {windowStart !== null && (
        <div className="soft">
          from <Instant at={windowStart} />
        </div>
      )}
    </>
  );
}
