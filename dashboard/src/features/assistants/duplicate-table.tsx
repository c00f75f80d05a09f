import type { ReactNode } from 'react';
import type { ObservedCallShape } from '../../../../src/contract/observed.ts';
import { assistantName } from '../../shared/names/display-names.ts';
import type { PeriodChoice } from '../../shared/time/period.ts';
import { Card } from '../../shared/ui/card.tsx';
import { DataTable, type TableColumn } from '../../shared/ui/data-table.tsx';
import { PageLink } from '../../shared/ui/links.tsx';
import { Instant, Money } from '../../shared/ui/values.tsx';
import { usePossibleDuplicates } from './queries.ts';

/** Reported calls that may be counted twice. Nothing is shown if there are none. */
export function PossibleDuplicates({ period }: { readonly period: PeriodChoice }): ReactNode {
  const { data } = usePossibleDuplicates(period);
  if (data === undefined || data.calls.length === 0) return null;
  return (
    <Card title="Possible duplicates">
      <div className="stack">
        <p className="soft">
          Telemetry reported these calls without an id, and several calls of the gateway fit. All are counted.
          {data.nextCursor !== null && ' These are the newest.'}
        </p>
        <DataTable name="Possible duplicates" columns={duplicateColumns} rows={data.calls} rowKey={({ id }) => id} />
      </div>
    </Card>
  );
}

const duplicateColumns: readonly TableColumn<ObservedCallShape>[] = [
  { id: 'time', name: 'Time', cell: ({ startedAt }) => <Instant at={startedAt} /> },
  {
    id: 'model',
    name: 'Model',
    cell: ({ model, assistant }) => (
      <>
        {model}
        {assistant !== null && <span className="soft beneath">{assistantName(assistant)}</span>}
      </>
    ),
  },
  { id: 'cost', name: 'Cost', figures: true, cell: ({ cost }) => <Money usd={cost} /> },
  {
    id: 'calls',
    name: 'May be',
    cell: ({ possibleDuplicates }) =>
      possibleDuplicates.map((id) => (
        <div key={id}>
          <PageLink to={`/calls/${id}`}>{id}</PageLink>
        </div>
      )),
  },
];
