import { NativeSelect, Switch } from '@mantine/core';
import type { ReactNode } from 'react';
import { FilterBar } from '../../shared/filter/filter-bar.tsx';
import { useAddress } from '../../shared/filter/use-address.ts';
import { useKeyNames } from '../../shared/names/use-key-names.ts';
import { Card } from '../../shared/parts/card.tsx';
import { Loaded } from '../../shared/parts/loaded.tsx';
import { Page } from '../../shared/parts/page.tsx';
import { CallTable } from './call-table.tsx';
import { readCalls } from './calls-address.ts';
import { NoCalls } from './no-calls.tsx';
import { Pager } from './pager.tsx';
import { useCalls } from './use-calls.ts';

const DOUBT_CHOICES = [
  { value: '', label: 'All calls' },
  { value: 'uncertain', label: 'Cost uncertain' },
  { value: 'unpriced', label: 'Without a price' },
];

/** Every call in the book, newest first, as they come in. */
export function CallsPage(): ReactNode {
  const { search, change } = useAddress(readCalls);
  const keyNames = useKeyNames();
  const calls = useCalls(search);
  const { filter, doubtful, cursor, paused } = search;
  return (
    <Page title="Calls" lead="Every call in the book, newest first. A new one appears by itself.">
      <div className="row">
        {/* Another filter has another first page. */}
        <FilterBar
          filter={filter}
          onChange={(changes) => change({ ...changes, cursor: undefined })}
          keyNames={keyNames}
        />
        <NativeSelect
          aria-label="Which calls"
          value={doubtful ?? ''}
          onChange={({ currentTarget }) => change({ only: currentTarget.value || undefined, cursor: undefined })}
          data={DOUBT_CHOICES}
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
      <Card>
        <Loaded of={calls} rows={12}>
          {({ entries, next }) => (
            <>
              {entries.length === 0 && next === null ? (
                <NoCalls />
              ) : (
                <CallTable entries={entries} keyNames={keyNames} />
              )}
              <Pager cursor={cursor} next={next} onMove={(to) => change({ cursor: to })} />
            </>
          )}
        </Loaded>
      </Card>
    </Page>
  );
}
