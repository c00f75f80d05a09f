import type { ReactNode } from 'react';
import type { LimitStanding, RefusedCallsShape } from '../../../../src/contract/limits.ts';
import type { LimitUnit } from '../../shared/limits/limit-text.ts';
import { useKeyNames } from '../../shared/names/queries.ts';
import { type TableColumn, DataTable } from '../../shared/ui/data-table.tsx';
import { PageLink } from '../../shared/ui/links.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { Ago } from '../../shared/ui/values.tsx';
import { Amount } from './limit-amount.tsx';
import { useRefusals } from './queries.ts';

type RefusedCall = RefusedCallsShape[number];

/** Newest refused calls. The ledger has no refused calls, so the gateway keeps these in memory. */
export function Refusals({ limit }: { readonly limit: LimitStanding }): ReactNode {
  const refused = useRefusals(limit.id);
  const keyNames = useKeyNames();
  const columns = refusalColumns(limit.unit, keyNames);
  const apart = limit.scope.kind === 'each_tag' || limit.scope.kind === 'each';
  return (
    <Loaded of={refused}>
      {(calls) =>
        calls.length === 0 ? (
          <p className="soft">No refusals since Tollbook started.</p>
        ) : (
          <DataTable
            name="Refused calls"
            columns={columns.filter(({ id }) => apart || id !== 'value')}
            rows={calls}
            rowKey={({ callId }) => callId}
          />
        )
      }
    </Loaded>
  );
}

function refusalColumns(unit: LimitUnit, keyNames: ReadonlyMap<string, string>): readonly TableColumn<RefusedCall>[] {
  return [
    { id: 'at', name: 'Time', cell: ({ at }) => <Ago at={at} /> },
    {
      id: 'key',
      name: 'Key',
      cell: ({ keyId }) => <PageLink to={`/keys/${keyId}`}>{keyNames.get(keyId) ?? keyId}</PageLink>,
    },
    { id: 'value', name: 'Value', cell: ({ value }) => value },
    { id: 'why', name: 'Reason', cell: ({ reason }) => REFUSAL_REASONS[reason] ?? reason },
    {
      id: 'need',
      name: 'Needed',
      figures: true,
      cell: ({ needed }) => (needed === null ? '' : <Amount unit={unit} of={needed} />),
    },
    {
      id: 'left',
      name: 'Left',
      figures: true,
      wideOnly: true,
      cell: ({ remaining }) => (remaining === null ? '' : <Amount unit={unit} of={remaining} />),
    },
  ];
}

const REFUSAL_REASONS: Readonly<Record<string, string>> = {
  spent: 'Nothing was left',
  exceeds_limit: 'Needed more than was left',
  in_flight: 'Running calls had reserved the rest',
  rate: 'The amount of this window was used',
  counter_unavailable: 'The prompt could not be counted',
  unbounded: 'The call had no maximum cost',
  unpriced_model: 'The model has no price',
};
