import { type ReactNode, useState } from 'react';
import type { SessionShape } from '../../../../src/contract/accounts.ts';
import { isolated } from '../../shared/format/isolated.ts';
import { ConfirmDialog } from '../../shared/ui/confirm-dialog.tsx';
import { RowButton } from '../../shared/ui/row-button.tsx';
import { useSignOut } from '../../shared/session/use-sign-out.ts';
import { browserText } from './browser-text.ts';
import { useEndSession } from './use-account.ts';

interface SessionProps {
  readonly session: SessionShape;
}

/** Signs out where one is signed in: in this browser, or in another one. */
export function SignOutSession({ session }: SessionProps): ReactNode {
  const [open, setOpen] = useState(false);
  const close = (): void => setOpen(false);
  const name = browserText(session.userAgent);
  const Ask = session.current ? SignOutHereDialog : SignOutElsewhereDialog;
  return (
    <>
      <RowButton deed="Sign out" of={session.current ? 'this browser' : name} onClick={() => setOpen(true)} />
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
      title="Sign yourself out?"
      deed="Sign out here"
      busy={signOut.isPending}
      error={signOut.error}
      onConfirm={() => signOut.mutate('here')}
      onClose={onClose}
    >
      This is the browser that you are using: to go on here, you sign in again.
    </ConfirmDialog>
  );
}

function SignOutElsewhereDialog({ session: { id, userAgent }, onClose }: SignOutDialogProps): ReactNode {
  const end = useEndSession();
  return (
    <ConfirmDialog
      title={`Sign out ${isolated(browserText(userAgent))}?`}
      deed="Sign out there"
      busy={end.isPending}
      error={end.error}
      onConfirm={() => end.mutate({ id }, { onSuccess: onClose })}
      onClose={onClose}
    >
      Whoever uses it has to sign in again. If that is not you, change your password too.
    </ConfirmDialog>
  );
}
