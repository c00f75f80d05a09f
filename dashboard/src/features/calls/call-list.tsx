import type { ReactNode } from 'react';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { CallTable } from './call-table.tsx';
import type { CallsAddress } from './calls-address.ts';
import { NoCalls, CallNotFound } from './no-calls.tsx';
import { CallPager } from './pager.tsx';
import { useCalls } from './use-calls.ts';

interface CallListProps {
  readonly address: CallsAddress;
  readonly keyNames: ReadonlyMap<string, string>;
  readonly onMove: (cursor: string | undefined) => void;
}

/** One page of calls, and the ways to the pages beside it. */
export function CallList({ address, keyNames, onMove }: CallListProps): ReactNode {
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
