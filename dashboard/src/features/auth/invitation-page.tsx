import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { OpenInvitationShape } from '../../../../src/contract/accounts.ts';
import { isolated } from '../../shared/format/isolated.ts';
import { accountQuery } from '../../shared/session/account.ts';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { Note } from '../../shared/ui/note.tsx';
import { AuthForm, AuthPage, NewCredentials } from './auth-page.tsx';
import { useLinkCode } from './link-code.ts';
import { useInvitation, useStartSession } from './queries.ts';

/** Joins a workspace by invitation, with the current account or a new one. */
export function InvitationPage(): ReactNode {
  const code = useLinkCode();
  const invitation = useInvitation(code);
  if (code === null)
    return (
      <AuthPage title="Join a workspace">
        <Note kind="warn">
          This link is incomplete: it must end in # and a code. Copy the whole link and open it again.
        </Note>
      </AuthPage>
    );
  return (
    <AuthPage title="Join a workspace">
      <Loaded of={invitation}>{(open) => <AcceptInvitation code={code} open={open} />}</Loaded>
    </AuthPage>
  );
}

function AcceptInvitation({ code, open }: { readonly code: string; readonly open: OpenInvitationShape }): ReactNode {
  const { data: account } = useQuery(accountQuery);
  const enter = useStartSession('POST /api/account/accept');
  const signedIn = account?.state === 'signed_in';
  return (
    <>
      <p>
        {isolated(open.invitedBy)} invited you to <strong>{isolated(open.workspace)}</strong> as {open.role}.
      </p>
      <AuthForm
        actionLabel={signedIn ? `Join as ${isolated(account.user?.name ?? 'yourself')}` : 'Create account and join'}
        busy={enter.isPending}
        error={enter.error}
        onSubmit={(fields) => enter.mutate({ body: { code, ...fields } })}
      >
        {!signedIn && <NewCredentials email={open.email} />}
      </AuthForm>
    </>
  );
}
