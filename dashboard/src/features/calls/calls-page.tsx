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
import { CallTable } from './call-table.tsx';
import { CALL_KINDS, type CallsAddress, readCallsAddress } from './calls-address.ts';
import { OUTCOME_NAMES } from './outcome-badge.tsx';
import { useCalls } from './queries.ts';

/** Every call in the book, newest first, as they come in. */
export function CallsPage(): ReactNode {
  const { search, change } = useAddress(readCallsAddress);
  const keyNames = useKeyNames();
  const { filter, kind, find, cursor, paused } = search;
  return (
    <Page
      title="Calls"
      lead="Every call in the book, newest first. A new one appears by itself."
      actions={<FindCall found={find} onFind={(id) => change({ find: id, cursor: undefined })} />}
    >
      {find === undefined && (
        <div className="row">
          {/* Another filter has another first page. */}
          <FilterBar
            filter={filter}
            onChange={(changes) => change({ ...changes, cursor: undefined })}
            keyNames={keyNames}
          />
          <NativeSelect
            aria-label="Which calls"
            value={kind ?? ''}
            onChange={({ currentTarget }) => change({ only: currentTarget.value || undefined, cursor: undefined })}
            data={KIND_CHOICES}
          />
          <span className="row-end">
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
        <CallList address={search} keyNames={keyNames} onMove={(to) => change({ cursor: to })} />
      </Card>
    </Page>
  );
}

function NoCalls(): ReactNode {
  const mayMake = useMay('work');
  return (
    <EmptyState
      icon="calls"
      title="No calls here"
      action={mayMake ? <PageLink to="/keys">Make a wrapped key</PageLink> : undefined}
    >
      Calls appear here as soon as they pass the gate: give your program a wrapped key and Tollbook’s address, nothing
      else changes. If there should be some, take a longer period or remove a filter.
    </EmptyState>
  );
}

function CallNotFound({ id }: { readonly id: string }): ReactNode {
  return (
    <EmptyState icon="search" title="No call has this id">
      <code>{id}</code> is no call, request, answer or session in the book of this workspace. A call is there a moment
      after it ended.
    </EmptyState>
  );
}

interface FindCallProps {
  /** What is looked for at present. */
  readonly found: string | undefined;
  readonly onFind: (id: string | undefined) => void;
}

/** Finds calls by any id that people have: Tollbook's, the provider's, or an assistant's session. */
function FindCall({ found, onFind }: FindCallProps): ReactNode {
  const submit = useFields((fields) => onFind(fields('id') || undefined));
  return (
    <form className="row" role="search" aria-label="Find a call" onSubmit={submit}>
      <TextInput
        // Another search begins with its own text.
        key={found}
        name="id"
        type="search"
        aria-label="Id of a call, a request, an answer or a session"
        placeholder="Call, request or session id"
        defaultValue={found}
      />
      <Button type="submit" variant="default">
        Find
      </Button>
      {found !== undefined && (
        <Button variant="subtle" onClick={() => onFind(undefined)}>
          All calls
        </Button>
      )}
    </form>
  );
}

interface CallPagerProps {
  readonly cursor: string | undefined;
  /** Where the next page begins; null = this is the last. */
  readonly next: string | null;
  readonly onMove: (cursor: string | undefined) => void;
}

function CallPager({ cursor, next, onMove }: CallPagerProps): ReactNode {
  if (cursor === undefined && next === null) return null;
  return (
    <nav className="row" aria-label="Pages of calls">
      {cursor !== undefined && (
        <Button variant="default" onClick={() => onMove(undefined)}>
          Newest
        </Button>
      )}
      {next !== null && (
        <Button variant="default" onClick={() => onMove(next)}>
          Older
        </Button>
      )}
    </nav>
  );
}

interface CallListProps {
  readonly address: CallsAddress;
  readonly keyNames: ReadonlyMap<string, string>;
  readonly onMove: (cursor: string | undefined) => void;
}

/** One page of calls, and the ways to the pages beside it. */
function CallList({ address, keyNames, onMove }: CallListProps): ReactNode {
  const calls = useCalls(address);
  const { find, cursor } = address;
  return (
    <Loaded of={calls} rows={12}>
      {({ entries, next }) => (
        <>
          {entries.length > 0 && <CallTable entries={entries} keyNames={keyNames} />}
          {entries.length === 0 && next === null && (find === undefined ? <NoCalls /> : <CallNotFound id={find} />)}
          {entries.length === 0 && next !== null && <p className="soft">None on this page; there may be older ones.</p>}
          <CallPager cursor={cursor} next={next} onMove={onMove} />
        </>
      )}
    </Loaded>
  );
}

const KIND_NAMES = { ...OUTCOME_NAMES, uncertain: 'cost uncertain', unpriced: 'without a price' };
const KIND_CHOICES = [
  { value: '', label: 'All calls' },
  ...CALL_KINDS.map((kind) => ({ value: kind, label: `Only ${KIND_NAMES[kind]}` })),
];
