import { Button, NativeSelect, Switch, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAddress } from '../../shared/filter/address.ts';
import { FilterBar } from '../../shared/filter/filter-bar.tsx';
import { useKeyNames } from '../../shared/names/queries.ts';
import { useMay } from '../../shared/session/session.ts';
import { Card } from '../../shared/ui/card.tsx';
import { EmptyState } from '../../shared/ui/empty-state.tsx';
import { useFields } from '../../shared/ui/fields.ts';
import { PageLink } from '../../shared/ui/links.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { Page } from '../../shared/ui/page.tsx';
import { CallPager } from './call-pager.tsx';
import { CallTable } from './call-table.tsx';
import { CallPanel } from './call-panel.tsx';
import { ColumnMenu } from './column-menu.tsx';
import { CALL_KINDS, type CallsAddress, keepColumns, readCallsAddress } from './calls-address.ts';
import { OUTCOME_NAMES } from './outcome-badge.tsx';
import { useCalls } from './queries.ts';
import { FoundRefusals, RefusedCalls } from './refused-calls.tsx';
import { TablePlaceholder } from '../../shared/ui/placeholders.tsx';

/** Every call in the ledger, newest first, updated live. */
export function CallsPage(): ReactNode {
  const { search, change } = useAddress(readCallsAddress);
  const keyNames = useKeyNames();
  const { filter, kind, find, cursor, paused, columns } = search;
  return (
    <Page
      title="Calls"
      lead="All recorded calls, newest first."
      actions={<FindCall found={find} onFind={(id) => change({ find: id, cursor: undefined })} />}
    >
      {find === undefined && (
        <div className="row">
          {/* A new filter starts on its first page. */}
          <FilterBar
            filter={filter}
            onChange={(changes) => change({ ...changes, cursor: undefined })}
            keyNames={keyNames}
          />
          <NativeSelect
            aria-label="Outcome"
            value={kind ?? ''}
            onChange={({ currentTarget }) => change({ only: currentTarget.value || undefined, cursor: undefined })}
            data={KIND_CHOICES}
          />
          <span className="row row-end">
            <span className="wide-only">
              <ColumnMenu chosen={columns} onChange={(chosen) => change({ columns: keepColumns(chosen) })} />
            </span>
            <Switch
              label="Live"
              checked={!paused && cursor === undefined}
              disabled={cursor !== undefined}
              onChange={({ currentTarget }) => change({ live: currentTarget.checked ? undefined : 'paused' })}
            />
          </span>
        </div>
      )}
      <Card>
        {kind === 'refused' && find === undefined ? (
          <RefusedCalls address={search} onMove={(to) => change({ cursor: to })} />
        ) : (
          <CallList
            address={search}
            keyNames={keyNames}
            onMove={(to) => change({ cursor: to, call: undefined })}
            // Stepping through the list is one step back.
            onOpen={(call) => change({ call }, { replace: search.open !== undefined && call !== undefined })}
          />
        )}
      </Card>
    </Page>
  );
}

function NoCalls(): ReactNode {
  const mayMake = useMay('work');
  return (
    <EmptyState
      icon="calls"
      title="No calls"
      action={mayMake ? <PageLink to="/keys/new">Create key</PageLink> : undefined}
    >
      Choose a longer period or remove a filter. To record calls, use a wrapped key and the address of Tollbook in your
      program.
    </EmptyState>
  );
}

function CallNotFound({ id }: { readonly id: string }): ReactNode {
  return (
    <EmptyState icon="search" title="Call not found">
      This workspace has no call, request, response or session with the ID <code>{id}</code>. Calls appear a moment
      after they end. If many calls of a key are refused in one minute, only the first have their own record.
    </EmptyState>
  );
}

interface FindCallProps {
  /** The ID of the current search. */
  readonly found: string | undefined;
  readonly onFind: (id: string | undefined) => void;
}

/** Finds calls by any ID: of Tollbook, of the provider, or of an assistant session. */
function FindCall({ found, onFind }: FindCallProps): ReactNode {
  const submit = useFields((fields) => onFind(fields('id') || undefined));
  return (
    <form className="row" role="search" aria-label="Find calls" onSubmit={submit}>
      <TextInput
        // Reset the text when the search changes.
        key={found}
        name="id"
        type="search"
        aria-label="ID of a call, request, response or session"
        placeholder="Call or session ID"
        defaultValue={found}
      />
      <Button type="submit" variant="default">
        {' '}
        Find calls{' '}
      </Button>
      {found !== undefined && (
        <Button variant="subtle" onClick={() => onFind(undefined)}>
          All calls
        </Button>
      )}
    </form>
  );
}

interface CallListProps {
  readonly address: CallsAddress;
  readonly keyNames: ReadonlyMap<string, string>;
  readonly onMove: (cursor: string | undefined) => void;
  readonly onOpen: (callId: string | undefined) => void;
}

/** One page of calls with links to older and newer ones. */
function CallList({ address, keyNames, onMove, onOpen }: CallListProps): ReactNode {
  const calls = useCalls(address);
  const { find, cursor, open, columns } = address;
  return (
    <Loaded of={calls} placeholder={<TablePlaceholder rows={12} />}>
      {({ entries, refusals = [], nextCursor }) => (
        <>
          {refusals.length > 0 && <FoundRefusals refusals={refusals} />}
          {entries.length > 0 && (
            <CallTable entries={entries} keyNames={keyNames} chosen={columns} onOpen={onOpen} openId={open} />
          )}
          {open !== undefined && (
            <CallPanel
              callId={open}
              listed={entries.map(({ id }) => id)}
              onOpen={onOpen}
              onClose={() => onOpen(undefined)}
            />
          )}
          {entries.length === 0 &&
            refusals.length === 0 &&
            nextCursor === null &&
            (find === undefined ? <NoCalls /> : <CallNotFound id={find} />)}
          {entries.length === 0 && nextCursor !== null && (
            <p className="soft">No matching calls on this page. Older ones may follow.</p>
          )}
          <CallPager cursor={cursor} next={nextCursor} onMove={onMove} />
        </>
      )}
    </Loaded>
  );
}

const KIND_NAMES = { ...OUTCOME_NAMES, refused: 'Refused', uncertain: 'Uncertain cost', unpriced: 'Without a price' };
const KIND_CHOICES = [
  { value: '', label: 'All calls' },
  ...CALL_KINDS.map((kind) => ({ value: kind, label: KIND_NAMES[kind] })),
];
