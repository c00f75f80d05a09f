import type { ReactNode } from 'react';
import type { SessionShape } from '../../../../src/contract/accounts.ts';
import { Breakable } from '../../shared/theme/breakable.tsx';
import { Ago } from '../../shared/theme/instant.tsx';
import { type TableColumn, DataTable } from '../../shared/ui/data-table.tsx';
import { browserText } from './browser-text.ts';
import { SignOutSession } from './end-session.tsx';

export function SessionTable({ sessions }: { readonly sessions: readonly SessionShape[] }): ReactNode {
  return <DataTable name="Sessions" columns={sessionColumns} rows={sessions} rowKey={({ id }) => id} />;
}

const sessionColumns: readonly TableColumn<SessionShape>[] = [
  { id: 'agent', name: 'Browser', cell: (session) => <SessionBrowser of={session} /> },
  { id: 'address', name: 'From', wideOnly: true, cell: ({ ipAddress }) => <SessionAddress of={ipAddress} /> },
  { id: 'used', name: 'Since', wideOnly: true, cell: ({ createdAt }) => <Ago at={createdAt} /> },
  { id: 'end', name: '', cell: (session) => <SignOutSession session={session} /> },
];

/** What it says of itself, whole, is in the title. */
function SessionBrowser({
  of: { userAgent, current, ipAddress, createdAt },
}: {
  readonly of: SessionShape;
}): ReactNode {
  return (
    <>
      <span title={userAgent ?? ''}>{browserText(userAgent)}</span>{' '}
      {current && <span className="soft whole">(this browser)</span>}
      <span className="soft beneath narrow">
        <SessionAddress of={ipAddress} />, <Ago at={createdAt} />
      </span>
    </>
  );
}

/** A short one stays whole; one of IPv6 may break. */
function SessionAddress({ of }: { readonly of: string | null }): ReactNode {
  if (of === null) return 'not known';
  return of.includes(':') ? <Breakable text={of} /> : <span className="whole">{of}</span>;
}
