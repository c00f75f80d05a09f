import type { ReactNode } from 'react';
import { AuthForm, AuthPage, NewCredentials, NotClaimed } from './auth-page.tsx';
import { useLinkCode } from './link-code.ts';
import { useStartSession } from './queries.ts';

/** Creates the first account, the owner. */
export function ClaimPage(): ReactNode {
  const code = useLinkCode();
  const enter = useStartSession('POST /api/account/claim');
  if (code === null) return <NotClaimed />;
  return (
    <AuthPage title="Create the owner account">
      <p className="soft">You can invite others later.</p>
      <AuthForm
        actionLabel="Create account"
        busy={enter.isPending}
        error={enter.error}
        onSubmit={({ name = '', email = '', password = '' }) => enter.mutate({ body: { code, name, email, password } })}
      >
        <NewCredentials />
      </AuthForm>
    </AuthPage>
  );
}
