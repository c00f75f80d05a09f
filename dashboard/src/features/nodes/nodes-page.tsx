import { type ReactNode, useState } from 'react';
import type { NodeList } from '../../../../src/contract/installation.ts';
import { callsText } from '../../../../src/domain/text/counts.ts';
import { describeGrants } from '../../../../src/domain/text/limits.ts';
import { isolated } from '../../shared/format/isolated.ts';
import { Card } from '../../shared/ui/card.tsx';
import { DataTable, RowButton, type TableColumn } from '../../shared/ui/data-table.tsx';
import { ConfirmDialog } from '../../shared/ui/dialog.tsx';
import { EmptyState } from '../../shared/ui/empty-state.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { Note } from '../../shared/ui/note.tsx';
import { Page } from '../../shared/ui/page.tsx';
import { TablePlaceholder } from '../../shared/ui/placeholders.tsx';
import { Ago, Count, StateBadge } from '../../shared/ui/values.tsx';
import { useForgetNode, useNodes } from './queries.ts';

type ListedNode = NodeList['nodes'][number];

/** Gateway processes on the database. */
export function NodesPage(): ReactNode {
  return (
    <Page title="Nodes" lead="Gateway processes on this database, each with its own journal.">
      <Card title="Nodes">
        <Loaded of={useNodes()} placeholder={<TablePlaceholder rows={2} />}>
          {({ nodes }) => <NodeTable nodes={nodes} />}
        </Loaded>
      </Card>
    </Page>
  );
}

function NodeTable({ nodes }: Pick<NodeList, 'nodes'>): ReactNode {
  if (nodes.length === 0)
    return (
      <EmptyState icon="nodes" title="No nodes">
        A node appears here when it starts.
      </EmptyState>
    );
  const silent = nodes.filter(({ state, unshippedCalls }) => state === 'silent' && unshippedCalls > 0);
  return (
    <>
      {silent.map(({ id, name, unshippedCalls }) => (
        <Note key={id} kind="warn">
          {isolated(name)} was not stopped and is silent. At least {unshippedCalls} of its calls are missing in the
          ledger until it starts again on its data folder.
        </Note>
      ))}
      <DataTable name="Nodes" columns={nodeColumns} rows={nodes} rowKey={({ id }) => id} />
    </>
  );
}

const STATE_BADGES = { running: 'teal', silent: 'red', stopped: 'gray' } as const;
const STATE_NAMES = { running: 'Running', silent: 'Silent', stopped: 'Stopped' } as const;

const nodeColumns: readonly TableColumn<ListedNode>[] = [
  {
    id: 'name',
    name: 'Name',
    sortBy: ({ name }) => name,
    cell: ({ name, version, seenAt }) => (
      <>
        {isolated(name)}
        <span className="soft beneath narrow">
          Version {version}, seen <Ago at={seenAt} />
        </span>
      </>
    ),
  },
  {
    id: 'state',
    name: 'State',
    sortBy: ({ state }) => state,
    cell: ({ state }) => <StateBadge color={STATE_BADGES[state]}>{STATE_NAMES[state]}</StateBadge>,
  },
  { id: 'version', name: 'Version', wideOnly: true, sortBy: ({ version }) => version, cell: ({ version }) => version },
  {
    id: 'seen',
    name: 'Last seen',
    wideOnly: true,
    sortBy: ({ seenAt }) => seenAt,
    cell: ({ seenAt }) => <Ago at={seenAt} />,
  },
  {
    id: 'unshipped',
    name: 'Unshipped calls',
    figures: true,
    sortBy: ({ unshippedCalls }) => unshippedCalls,
    cell: ({ unshippedCalls }) => <Count of={unshippedCalls} unit="calls" />,
  },
  {
    id: 'lag',
    name: 'Lag',
    wideOnly: true,
    figures: true,
    sortBy: ({ lagSeconds }) => lagSeconds,
    cell: ({ lagSeconds }) => `${Math.round(lagSeconds)} s`,
  },
  {
    id: 'grants',
    name: 'Granted parts of limits',
    wideOnly: true,
    cell: ({ grants }) => describeGrants(grants),
  },
  { id: 'forget', name: '', cell: (node) => node.state !== 'running' && <ForgetNode of={node} /> },
];

interface ForgetProps {
  readonly of: ListedNode;
}

function ForgetNode({ of: { id, name, unshippedCalls } }: ForgetProps): ReactNode {
  const [open, setOpen] = useState(false);
  const forget = useForgetNode(id);
  const close = (): void => setOpen(false);
  return (
    <>
      <RowButton actionLabel="Forget" of={name} onClick={() => setOpen(true)} />
      {open && (
        <ConfirmDialog
          title={`Forget ${isolated(name)}?`}
          actionLabel="Forget node"
          busy={forget.isPending}
          error={forget.error}
          onConfirm={() => forget.mutate('count', { onSuccess: close })}
          onClose={close}
        >
          Only if it never starts again.{' '}
          {unshippedCalls > 0 && `Unshipped: ${callsText(unshippedCalls)} or more, which the ledger then lacks. `}
          Amounts of limits that it may have used stay counted until their windows end.
        </ConfirmDialog>
      )}
    </>
  );
}
