import { type ReactNode, useState } from 'react';
import type { SessionShape } from '../../../../src/contract/accounts.ts';
import { isolated } from '../../shared/format/isolated.ts';
import { useSignOut } from '../../shared/session/use-sign-out.ts';
import { DataTable, RowButton, type TableColumn } from '../../shared/ui/data-table.tsx';
import { ConfirmDialog } from '../../shared/ui/dialog.tsx';
import { Ago, Breakable } from '../../shared/ui/values.tsx';
import { browserText } from './browser-text.ts';
import { useEndSession } from './queries.ts';

interface SessionProps {
  readonly session: SessionShape;
}

/** Signs out this browser or another one. */
function SignOutSession({ session }: SessionProps): ReactNode {
  const [open, setOpen] = useState(false);
  const close = (): void => setOpen(false);
  const name = browserText(session.userAgent);
  const Ask = session.current ? SignOutHereDialog : SignOutElsewhereDialog;
  return (
    <>
      <RowButton actionLabel="Sign out" of={session.current ? 'this browser' : name} onClick={() => setOpen(true)} />
      {open && <Ask session={session} onClose={close} />}
    </>
  );
}

interface SignOutDialogProps extends SessionProps {
  readonly onClose: () => void;
}

function SignOutHereDialog({ onClose }: SignOutDialogProps): ReactNode {
  const signOut = useSignOut();
  return (
    <ConfirmDialog
      title="Sign out?"
      actionLabel="Sign out"
      busy={signOut.isPending}
      error={signOut.error}
      onConfirm={() => signOut.mutate('here')}
      onClose={onClose}
    >
      You are using this browser. To continue, you have to sign in again.
    </ConfirmDialog>
  );
}

function SignOutElsewhereDialog({ session: { id, userAgent }, onClose }: SignOutDialogProps): ReactNode {
  const end = useEndSession();
  return (
    <ConfirmDialog
      title={`Sign out ${isolated(browserText(userAgent))}?`}
      actionLabel="Sign out browser"
      busy={end.isPending}
      error={end.error}
      onConfirm={() => end.mutate({ id }, { onSuccess: onClose })}
      onClose={onClose}
    >
      This browser has to sign in again. If you don’t recognize it, also change your password.
    </ConfirmDialog>
  );
}

export function SessionTable({ sessions }: { readonly sessions: readonly SessionShape[] }): ReactNode {
  return <DataTable name="Sessions" columns={sessionColumns} rows={sessions} rowKey={({ id }) => id} />;
}

const sessionColumns: readonly TableColumn<SessionShape>[] = [
  { id: 'agent', name: 'Browser', cell: (session) => <SessionBrowser of={session} /> },
  { id: 'address', name: 'IP address', wideOnly: true, cell: ({ ipAddress }) => <SessionAddress of={ipAddress} /> },
  { id: 'used', name: 'Signed in', wideOnly: true, cell: ({ createdAt }) => <Ago at={createdAt} /> },
  { id: 'end', name: '', cell: (session) => <SignOutSession session={session} /> },
];

/** Browser and system, with the full user agent in the title. */
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

/** An IP address; IPv6 may break over lines. */
function SessionAddress({ of }: { readonly of: string | null }): ReactNode {
  if (of === null) return 'Unknown';
  return of.includes(':') ? <Breakable text={of} /> : <span className="whole">{of}</span>;
}
