import type { ReactNode } from 'react';
import type { LimitStanding } from '../../../../src/contract/limits.ts';
import { callsText } from '../../../../src/domain/text/counts.ts';
import { useRefusalCounts, useRefusals } from '../../shared/refusals/queries.ts';
import { RefusalTable } from '../../shared/refusals/refusal-table.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { TablePlaceholder } from '../../shared/ui/placeholders.tsx';

const REFUSALS_SHOWN = 20;

/** Newest calls that a limit refused, and their number. */
export function Refusals({ limit }: { readonly limit: LimitStanding }): ReactNode {
  const refused = useRefusals({ limitId: limit.id, limit: REFUSALS_SHOWN });
  const counts = useRefusalCounts({ limitId: limit.id });
  return (
    <Loaded of={refused} placeholder={<TablePlaceholder rows={3} />}>
      {({ refusals }) =>
        refusals.length === 0 ? (
          <p className="soft">No refused calls in the last 30 days.</p>
        ) : (
          <>
            {counts.data && <p className="soft">{callsText(counts.data.calls)} refused in the last 30 days.</p>}
            <RefusalTable refusals={refusals} limit={limit} />
          </>
        )
      }
    </Loaded>
  );
}
