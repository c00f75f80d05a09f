import type { ReactNode } from 'react';
import { AuthForm, AuthPage, NewCredentials, NotClaimed } from './auth-page.tsx';
import { useLinkCode } from './link-code.ts';
import { useStartSession } from './queries.ts';

/** The first account of all: its owner's. */
export function ClaimPage(): ReactNode {
  const code = useLinkCode();
  const enter = useStartSession();
  if (code === null) return <NotClaimed />;
  return (
    <AuthPage title="Make this Tollbook yours">
      <p className="soft">You become its owner. Others come in by invitation.</p>
      <AuthForm
        deed="Make my account"
        busy={enter.isPending}
        error={enter.error}
        onSubmit={(fields) => enter.mutate({ path: '/api/account/claim', body: { code, ...fields } })}
      >
        <NewCredentials />
      </AuthForm>
    </AuthPage>
  );
}
