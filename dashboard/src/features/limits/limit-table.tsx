import type { ReactNode } from 'react';
import type { LimitStanding } from '../../../../src/contract/limits.ts';
import { scopeText } from '../../shared/limits/limit-text.ts';
import { useKeyNames } from '../../shared/names/queries.ts';
import { type TableColumn, DataTable } from '../../shared/ui/data-table.tsx';
import { PageLink } from '../../shared/ui/links.tsx';
import { Ago, StateBadge } from '../../shared/ui/values.tsx';
import { Amount, AmountLeft, LimitMeter } from '../../shared/limits/limit-amount.tsx';
import { describeRate, takenShare } from '../../../../src/domain/text/limits.ts';

export function LimitTable({ limits }: { readonly limits: readonly LimitStanding[] }): ReactNode {
  const keyNames = useKeyNames();
  const columns = limitColumns((id) => keyNames.get(id) ?? id);
  return <DataTable name="Limits" columns={columns} rows={limits} rowKey={({ id }) => id} />;
}

function limitColumns(keyName: (id: string) => string): readonly TableColumn<LimitStanding>[] {
  return [
    {
      id: 'limit',
      name: 'Limit',
      sortBy: ({ scope, label }) => label ?? scopeText(scope, keyName),
      cell: (limit) => <LimitName limit={limit} keyName={keyName} />,
    },
    { id: 'used', name: 'Used', sortBy: takenShare, cell: (limit) => <LimitMeter of={limit} unit={limit.unit} /> },
    {
      id: 'left',
      name: 'Left',
      figures: true,
      cell: ({ unit, remaining, isPartial }) => (isPartial ? '–' : <AmountLeft unit={unit} of={remaining} />),
    },
    {
      id: 'projection',
      name: 'At this pace',
      figures: true,
      wideOnly: true,
      cell: ({ unit, projected }) => (projected === null ? '' : <Amount unit={unit} of={projected} />),
    },
    {
      id: 'resets',
      name: 'Resets',
      figures: true,
      wideOnly: true,
      cell: ({ resetsAt }) => (resetsAt === null ? 'Never' : <Ago at={resetsAt} />),
    },
  ];
}

interface LimitNameProps {
  readonly limit: LimitStanding;
  readonly keyName: (id: string) => string;
}

function LimitName({ limit, keyName }: LimitNameProps): ReactNode {
  const { id, label, scope, action, raise, amount, isPartial } = limit;
  return (
    <>
      <PageLink to={`/limits/${id}`}>{label ?? `${describeRate(limit)}, ${scopeText(scope, keyName)}`}</PageLink>
      {label !== null && (
        <div className="soft">
          {describeRate(limit)}, {scopeText(scope, keyName)}
        </div>
      )}
      {(action === 'warn' || isPartial || (raise && raise.amount > amount)) && (
        <div>
          {action === 'warn' && <StateBadge color="gray">Alerts only</StateBadge>}{' '}
          {isPartial && <StateBadge color="gray">Counting usage so far</StateBadge>}{' '}
          {raise && raise.amount > amount && <StateBadge color="yellow">Raised</StateBadge>}
        </div>
      )}
    </>
  );
}
