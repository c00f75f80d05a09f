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

/** Who is held back: calls that were refused are in no book, so that the gate tells of the newest ones. */
export function Refusals({ limit }: { readonly limit: LimitStanding }): ReactNode {
  const refused = useRefusals(limit.id);
  const keyNames = useKeyNames();
  const columns = refusalColumns(limit.unit, keyNames);
  const apart = limit.scope.kind === 'each_tag';
  return (
    <Loaded of={refused}>
      {(calls) =>
        calls.length === 0 ? (
          <p className="soft">Nobody since Tollbook was started.</p>
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
    { id: 'at', name: 'When', cell: ({ at }) => <Ago at={at} /> },
    {
      id: 'key',
      name: 'Key',
      cell: ({ keyId }) => <PageLink to={`/keys/${keyId}`}>{keyNames.get(keyId) ?? keyId}</PageLink>,
    },
    { id: 'value', name: 'Value', cell: ({ value }) => value },
    { id: 'why', name: 'Why', cell: ({ reason }) => REFUSAL_REASONS[reason] ?? reason },
    {
      id: 'need',
      name: 'Needed',
      figures: true,
      cell: ({ need }) => (need === null ? '' : <Amount unit={unit} of={need} />),
    },
    {
      id: 'left',
      name: 'Left then',
      figures: true,
      wideOnly: true,
      cell: ({ left }) => (left === null ? '' : <Amount unit={unit} of={left} />),
    },
  ];
}

const REFUSAL_REASONS: Readonly<Record<string, string>> = {
  spent: 'nothing was left',
  exceeds_limit: 'it was larger than what was left',
  in_flight: 'calls under way held the rest',
  rate: 'this time’s amount was used',
  counter_unavailable: 'its prompt could not be counted',
  unbounded: 'it could come to any amount',
  unpriced_model: 'its model has no price',
};
