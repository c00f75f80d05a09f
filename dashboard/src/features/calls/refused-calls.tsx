import { type ReactNode, useMemo } from 'react';
import { callsText } from '../../../../src/domain/text/counts.ts';
import { useUsageQuery } from '../../shared/filter/usage-filter.ts';
import { limitName } from '../../shared/limits/limit-text.ts';
import { useLimits } from '../../shared/limits/use-limits.ts';
import { useRefusalCounts, useRefusals } from '../../shared/refusals/queries.ts';
import { RefusalTable } from '../../shared/refusals/refusal-table.tsx';
import { EmptyState } from '../../shared/ui/empty-state.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { CallPager } from './call-pager.tsx';
import type { CallsAddress } from './calls-address.ts';

const PAGE_SIZE = 50;

interface RefusedCallsProps {
  readonly address: CallsAddress;
  readonly keyNames: ReadonlyMap<string, string>;
  readonly onMove: (cursor: string | undefined) => void;
}

/** One page of calls that limits refused. Of the filter, the period and the key apply. */
export function RefusedCalls({ address, keyNames, onMove }: RefusedCallsProps): ReactNode {
  const { filter, cursor, paused } = address;
  const { startDate, endDate, keyId } = useUsageQuery(filter);
  const asked = { startDate, endDate, keyId };
  const refused = useRefusals({ ...asked, cursor, paused, limit: PAGE_SIZE });
  const counts = useRefusalCounts(asked);
  const limitNames = useLimitNames(keyNames);
  return (
    <Loaded of={refused} rows={12}>
      {({ refusals, nextCursor }) =>
        refusals.length === 0 ? (
          <EmptyState icon="calls" title="No refused calls">
            In this period no limit refused a call. Of the filter, only the period and the key apply here.
          </EmptyState>
        ) : (
          <>
            {counts.data && <p className="soft">{callsText(counts.data.calls)} refused by limits in this period.</p>}
            <RefusalTable
              refusals={refusals}
              keyNames={keyNames}
              limitNames={limitNames}
              hasValues={refusals.some(({ value }) => value !== null)}
            />
            <CallPager cursor={cursor} next={nextCursor} onMove={onMove} />
          </>
        )
      }
    </Loaded>
  );
}

function useLimitNames(keyNames: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const { data } = useLimits();
  return useMemo(
    () => new Map((data?.limits ?? []).map((limit) => [limit.id, limitName(limit, (id) => keyNames.get(id) ?? id)])),
    [data, keyNames],
  );
}
