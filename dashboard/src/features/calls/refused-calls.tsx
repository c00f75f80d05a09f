import type { ReactNode } from 'react';
import type { RefusalsPageShape } from '../../../../src/contract/refusals.ts';
import { callsText } from '../../../../src/domain/text/counts.ts';
import { useUsageQuery } from '../../shared/filter/usage-filter.ts';
import { useRefusalCounts, useRefusals } from '../../shared/refusals/queries.ts';
import { RefusalTable } from '../../shared/refusals/refusal-table.tsx';
import { EmptyState } from '../../shared/ui/empty-state.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { CallPager } from './call-pager.tsx';
import type { CallsAddress } from './calls-address.ts';
import { TablePlaceholder } from '../../shared/ui/placeholders.tsx';

const PAGE_SIZE = 50;

interface RefusedCallsProps {
  readonly address: CallsAddress;
  readonly onMove: (cursor: string | undefined) => void;
}

/** One page of calls that limits refused. Of the filter, the period and one key apply. */
export function RefusedCalls({ address, onMove }: RefusedCallsProps): ReactNode {
  const { filter, cursor, paused } = address;
  const { startDate, endDate, keyId } = useUsageQuery(filter);
  const asked = { startDate, endDate, ...(typeof keyId === 'string' && { keyId }) };
  const refused = useRefusals({ ...asked, cursor, paused, limit: PAGE_SIZE });
  const counts = useRefusalCounts(asked);
  return (
    <Loaded of={refused} placeholder={<TablePlaceholder rows={12} />}>
      {({ refusals, nextCursor }) =>
        refusals.length === 0 ? (
          <EmptyState icon="calls" title="No refused calls">
            Limits refused no calls in this period. Refused calls can be filtered by period and one key only.
          </EmptyState>
        ) : (
          <>
            {counts.data && <p className="soft">{callsText(counts.data.calls)} refused by limits in this period.</p>}
            <RefusalTable refusals={refusals} />
            <CallPager cursor={cursor} next={nextCursor} onMove={onMove} />
          </>
        )
      }
    </Loaded>
  );
}

/** Refused calls that a search found. */
export function FoundRefusals({ refusals }: Pick<RefusalsPageShape, 'refusals'>): ReactNode {
  return (
    <>
      <p className="soft">A limit refused this call. It was not sent.</p>
      <RefusalTable refusals={refusals} />
    </>
  );
}
