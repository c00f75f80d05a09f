import { NativeSelect, Switch } from '@mantine/core';
import type { ReactNode } from 'react';
import { FilterBar } from '../../shared/filter/filter-bar.tsx';
import { useAddress } from '../../shared/filter/use-address.ts';
import { useKeyNames } from '../../shared/names/use-key-names.ts';
import { Card } from '../../shared/ui/card.tsx';
import { Page } from '../../shared/ui/page.tsx';
import { CallList } from './call-list.tsx';
import { CALL_KINDS, readCallsAddress } from './calls-address.ts';
import { FindCall } from './find-call.tsx';
import { OUTCOME_NAMES } from './outcome-names.ts';

const KIND_NAMES = { ...OUTCOME_NAMES, uncertain: 'cost uncertain', unpriced: 'without a price' };
const KIND_CHOICES = [
  { value: '', label: 'All calls' },
  ...CALL_KINDS.map((kind) => ({ value: kind, label: `Only ${KIND_NAMES[kind]}` })),
];

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
