import { NativeSelect } from '@mantine/core';
import type { ReactNode } from 'react';
import type { SessionList } from '../../../../src/contract/sessions.ts';
import { useAddress } from '../../shared/filter/address.ts';
import { FilterBar } from '../../shared/filter/filter-bar.tsx';
import { findChoice, readText, readUsageFilter, type SearchParameters } from '../../shared/filter/usage-filter.ts';
import { useKeyNames } from '../../shared/names/queries.ts';
import { SessionLink } from '../../shared/names/session-name.tsx';
import { Card } from '../../shared/ui/card.tsx';
import { DataTable, type TableColumn } from '../../shared/ui/data-table.tsx';
import { EmptyState } from '../../shared/ui/empty-state.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { Page } from '../../shared/ui/page.tsx';
import { MoreRows, useShownRows } from '../../shared/ui/show-more.tsx';
import { Count, Instant } from '../../shared/ui/values.tsx';
import { knownCost } from '../../shared/usage/cost-sum.ts';
import { SummedCost } from '../../shared/usage/summed-cost.tsx';
import { useCallSessions } from './queries.ts';
import { TablePlaceholder } from '../../shared/ui/placeholders.tsx';

const ORDERS = [
  { value: 'recent', label: 'Newest first' },
  { value: 'cost', label: 'Most expensive first' },
] as const;

function readSessionsAddress(search: SearchParameters) {
  const order = findChoice(['recent', 'cost'] as const, readText(search, 'order')) ?? 'recent';
  return { filter: readUsageFilter(search), order };
}

const FIRST_ROWS = 50;

/** Sessions of calls through the gateway, with their sums. */
export function SessionsPage(): ReactNode {
  const { search, change } = useAddress(readSessionsAddress);
  const keyNames = useKeyNames();
  const { limit, showMore } = useShownRows(FIRST_ROWS);
  const sessions = useCallSessions(search.filter, search.order, limit);
  return (
    <Page title="Sessions" lead="Calls through the gateway, grouped by session.">
      <div className="row">
        <FilterBar filter={search.filter} onChange={change} keyNames={keyNames} />
        <span className="row-end">
          <NativeSelect
            aria-label="Order"
            value={search.order}
            onChange={({ currentTarget }) => change({ order: currentTarget.value })}
            data={[...ORDERS]}
          />
        </span>
      </div>
      <Card>
        <Loaded of={sessions} placeholder={<TablePlaceholder rows={12} />}>
          {(list) => <SessionTable list={list} showMore={showMore} />}
        </Loaded>
      </Card>
    </Page>
  );
}

type SessionRow = SessionList['sessions'][number];

const sessionColumns: readonly TableColumn<SessionRow>[] = [
  {
    id: 'session',
    name: 'Session',
    cell: ({ session }) => <SessionLink session={session} />,
  },
  { id: 'last', name: 'Last call', wideOnly: true, cell: ({ lastCallAt }) => <Instant at={lastCallAt} /> },
  { id: 'agents', name: 'Sub-agents', figures: true, wideOnly: true, cell: ({ agents }) => <Count of={agents} /> },
  {
    id: 'calls',
    name: 'Calls',
    figures: true,
    sortBy: ({ calls }) => calls,
    cell: ({ calls }) => <Count of={calls} />,
  },
  { id: 'cost', name: 'Cost', figures: true, sortBy: ({ cost }) => cost, cell: (row) => <SummedCost {...row} /> },
];

interface SessionTableProps {
  readonly list: SessionList;
  readonly showMore: (() => void) | null;
}

function SessionTable({ list, showMore }: SessionTableProps): ReactNode {
  const { sessions, total } = list;
  if (sessions.length === 0)
    return (
      <EmptyState icon="sessions" title="No sessions">
        No call in this period names a session. Claude Code and Codex name theirs. Other programs can send the header{' '}
        <code>x-svc-session</code>.
      </EmptyState>
    );
  return (
    <>
      <DataTable
        name="Sessions"
        columns={sessionColumns}
        rows={sessions}
        rowKey={({ session }) => session}
        bar={knownCost}
      />
      {!list.isComplete && (
        <p className="soft">
          The period has too many calls or sessions. These are the sums since <Instant at={list.from} />.
        </p>
      )}
      <MoreRows count={total - sessions.length} noun="session" showMore={showMore} />
    </>
  );
}
