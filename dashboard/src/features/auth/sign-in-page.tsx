import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { useAddress } from '../../shared/filter/address.ts';
import { readText } from '../../shared/filter/usage-filter.ts';
import { accountQuery } from '../../shared/session/account.ts';
import { ErrorNote } from '../../shared/ui/note.tsx';
import { AuthForm, AuthPage, NotClaimed } from './auth-page.tsx';
import { safePath } from './link-code.ts';
import { useStartSession } from './queries.ts';
import { PasswordField, TextField } from '../../shared/ui/form-inputs.tsx';

export function SignInPage(): ReactNode {
  const { search } = useAddress((text) => ({ to: readText(text, 'to') }));
  const to = safePath(search.to);
  const { data: account, error, refetch } = useQuery(accountQuery);
  const enter = useStartSession('POST /api/auth/sign-in/email', to);
  if (account?.state === 'signed_in') return <RedirectTo to={to} />;
  if (account?.state === 'unclaimed') return <NotClaimed />;
  return (
    <AuthPage title="Sign in">
      {error && <ErrorNote error={error} retry={() => void refetch()} />}
      <AuthForm
        actionLabel="Sign in"
        busy={enter.isPending}
        error={enter.error}
        onSubmit={({ email = '', password = '' }) => enter.mutate({ body: { email, password } })}
      >
        <TextField name="email" type="email" label="Email" autoComplete="username" required autoFocus />
        <PasswordField name="password" label="Password" autoComplete="current-password" required />
      </AuthForm>
      <p className="soft">
        No account? Ask an owner or admin for an invitation. Forgot your password? The operator can reset it with{' '}
        <code>npx tollbook users reset-password</code>.
      </p>
    </AuthPage>
  );
}

/** Redirects people who are already signed in. */
function RedirectTo({ to }: { readonly to: string }): null {
  const navigate = useNavigate();
  useEffect(() => {
    void navigate({ href: to, replace: true });
  }, [navigate, to]);
  return null;
}
