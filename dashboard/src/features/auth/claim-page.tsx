import type { ReactNode } from 'react';
import { AuthForm, AuthPage, NewCredentials, NotClaimed } from './auth-page.tsx';
import { useLinkCode } from './link-code.ts';
import { useStartSession } from './queries.ts';

/** Creates the first account, the owner. */
export function ClaimPage(): ReactNode {
  const code = useLinkCode();
  const enter = useStartSession();
  if (code === null) return <NotClaimed />;
  return (
    <AuthPage title="Create the owner account">
      <p className="soft">You can invite others later.</p>
      <AuthForm
        actionLabel="Create account"
        busy={enter.isPending}
        error={enter.error}
        onSubmit={(fields) => enter.mutate({ path: '/api/account/claim', body: { code, ...fields } })}
      >
        <NewCredentials />
      </AuthForm>
    </AuthPage>
  );
}
