import { type ReactNode, useMemo } from 'react';
import type { RefusalShape } from '../../../../src/contract/refusals.ts';
import { formatCount } from '../../../../src/domain/text/counts.ts';
import type { UsdRounding } from '../../../../src/domain/text/money.ts';
import { REFUSAL_REASON_TEXTS } from '../../../../src/domain/text/refusals.ts';
import { type LimitUnit, limitName } from '../limits/limit-text.ts';
import { useLimits } from '../limits/use-limits.ts';
import { useKeyNames } from '../names/queries.ts';
import { type TableColumn, DataTable } from '../ui/data-table.tsx';
import { PageLink } from '../ui/links.tsx';
import { Ago, Count, Money } from '../ui/values.tsx';

interface RefusalTableProps {
  readonly refusals: readonly RefusalShape[];
  readonly keyNames: ReadonlyMap<string, string>;
  /** Names of limits by ID; null = all refusals are of one limit. */
  readonly limitNames: ReadonlyMap<string, string> | null;
  /** The limit counts each value of a tag apart. */
  readonly hasValues: boolean;
}

/** Calls that limits refused. Above a rate, those of one minute are one row with their number. */
export function RefusalTable({ refusals, keyNames, limitNames, hasValues }: RefusalTableProps): ReactNode {
  const hidden = new Set([...(limitNames ? [] : ['limit']), ...(hasValues ? [] : ['value'])]);
  return (
    <DataTable
      name="Refused calls"
      columns={refusalColumns(keyNames, limitNames).filter(({ id }) => !hidden.has(id))}
      rows={refusals}
      rowKey={({ callId }) => callId}
    />
  );
}

/** Refused calls of all limits, with the names of keys and limits. */
export function RefusalsOfLimits({ refusals }: Pick<RefusalTableProps, 'refusals'>): ReactNode {
  const keyNames = useKeyNames();
  const { data } = useLimits();
  const limitNames = useMemo(
    () => new Map((data?.limits ?? []).map((limit) => [limit.id, limitName(limit, (id) => keyNames.get(id) ?? id)])),
    [data, keyNames],
  );
  const hasValues = refusals.some(({ value }) => value !== null);
  return <RefusalTable refusals={refusals} keyNames={keyNames} limitNames={limitNames} hasValues={hasValues} />;
}

function refusalColumns(
  keyNames: ReadonlyMap<string, string>,
  limitNames: RefusalTableProps['limitNames'],
): readonly TableColumn<RefusalShape>[] {
  return [
    { id: 'at', name: 'Time', cell: ({ at }) => <Ago at={at} /> },
    {
      id: 'model',
      name: 'Model',
      wideOnly: true,
      cell: ({ model, calls, summed }) => (summed ? `${formatCount(calls)} calls in one minute` : model),
    },
    {
      id: 'key',
      name: 'Key',
      cell: ({ keyId }) => <PageLink to={`/keys/${keyId}`}>{keyNames.get(keyId) ?? keyId}</PageLink>,
    },
    {
      id: 'limit',
      name: 'Limit',
      cell: ({ limitId }) => {
        const name = limitNames?.get(limitId);
        return name === undefined ? limitId : <PageLink to={`/limits/${limitId}`}>{name}</PageLink>;
      },
    },
    { id: 'value', name: 'Value', cell: ({ value }) => value },
    { id: 'why', name: 'Reason', cell: ({ reason }) => REFUSAL_REASON_TEXTS[reason] },
    {
      id: 'need',
      name: 'Needed',
      figures: true,
      cell: ({ unit, needed }) => <RefusalAmount unit={unit} of={needed} rounding="up" />,
    },
    {
      id: 'left',
      name: 'Left',
      figures: true,
      wideOnly: true,
      cell: ({ unit, remaining }) => <RefusalAmount unit={unit} of={remaining} rounding="down" />,
    },
  ];
}

interface RefusalAmountProps {
  readonly unit: LimitUnit;
  readonly of: number | null;
  readonly rounding: UsdRounding;
}

function RefusalAmount({ unit, of, rounding }: RefusalAmountProps): ReactNode {
  if (of === null) return '';
  return unit === 'usd' ? <Money usd={of} rounding={rounding} /> : <Count of={of} unit={unit.replace('_', ' ')} />;
}
