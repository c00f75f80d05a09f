import type { ReactNode } from 'react';
import type { EntryShape } from '../../../../src/contract/entries.ts';
import { type TableColumn, DataTable } from '../../shared/ui/data-table.tsx';
import { PageLink } from '../../shared/ui/links.tsx';
import { Count, Instant, Money, TagList } from '../../shared/ui/values.tsx';
import { OutcomeBadge } from './outcome-badge.tsx';
import { describeDuration } from '../../../../src/domain/text/durations.ts';

interface CallTableProps {
  readonly entries: readonly EntryShape[];
  readonly keyNames: ReadonlyMap<string, string>;
}

export function CallTable({ entries, keyNames }: CallTableProps): ReactNode {
  return <DataTable name="Calls" columns={callColumns(keyNames)} rows={entries} rowKey={({ id }) => id} />;
}

function callColumns(keyNames: ReadonlyMap<string, string>): readonly TableColumn<EntryShape>[] {
  return [
    {
      id: 'time',
      name: 'Time',
      cell: ({ id, startedAt }) => (
        <PageLink to={`/calls/${id}`}>
          <Instant at={startedAt} />
        </PageLink>
      ),
    },
    { id: 'model', name: 'Model', cell: ({ model, requestedModel, provider }) => model ?? requestedModel ?? provider },
    { id: 'key', name: 'Key', wideOnly: true, cell: ({ keyId }) => findKeyName(keyNames, keyId) },
    { id: 'tags', name: 'Tags', wideOnly: true, cell: ({ tags }) => <TagList tags={tags} /> },
    { id: 'outcome', name: 'Outcome', wideOnly: true, cell: (call) => <OutcomeBadge call={call} /> },
    {
      id: 'input',
      name: 'Input',
      figures: true,
      wideOnly: true,
      cell: (call) => <Count of={call.inputTokens} unit="tokens" />,
    },
    {
      id: 'output',
      name: 'Output',
      figures: true,
      wideOnly: true,
      cell: (call) => <Count of={call.outputTokens} unit="tokens" />,
    },
    {
      id: 'duration',
      name: 'Duration',
      figures: true,
      wideOnly: true,
      cell: ({ durationMs }) => describeDuration(durationMs),
    },
    { id: 'cost', name: 'Cost', figures: true, sortBy: ({ cost }) => cost, cell: (call) => <CallCost call={call} /> },
  ];
}

/** Returns '' until the names are loaded, so no ID flashes before its name. */
function findKeyName(keyNames: ReadonlyMap<string, string>, keyId: string): string {
  return keyNames.get(keyId) ?? (keyNames.size === 0 ? '' : keyId);
}

/** The cost, marked when it is uncertain. */
function CallCost({ call }: { readonly call: EntryShape }): ReactNode {
  return (
    <>
      <Money usd={call.cost} />
      {call.uncertainUpTo !== undefined && <span className="soft"> uncertain</span>}
    </>
  );
}
