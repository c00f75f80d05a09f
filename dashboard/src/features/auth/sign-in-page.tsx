import { PasswordInput, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { textIn } from '../../shared/filter/usage-filter.ts';
import { useAddress } from '../../shared/filter/use-address.ts';
import { Trouble } from '../../shared/ui/trouble.tsx';
import { accountQuery } from '../../shared/session/account.ts';
import { safePath } from './code-of-link.ts';
import { Entrance } from './entrance.tsx';
import { EntranceForm } from './entrance-form.tsx';
import { Leave } from './leave.tsx';
import { NotClaimed } from './not-claimed.tsx';
import { useEnter } from './use-enter.ts';

export function SignInPage(): ReactNode {
  const { search } = useAddress((text) => ({ to: textIn(text, 'to') }));
  const to = safePath(search.to);
  const { data: account, error, refetch } = useQuery(accountQuery);
  const enter = useEnter(to);
  if (account?.state === 'signed_in') return <Leave to={to} />;
  if (account?.state === 'unclaimed') return <NotClaimed />;
  return (
    <Entrance title="Sign in">
      {error && <Trouble error={error} retry={() => void refetch()} />}
      <EntranceForm
        deed="Sign in"
        busy={enter.isPending}
        error={enter.error}
        onSubmit={({ email, password }) => enter.mutate({ path: '/api/auth/sign-in/email', body: { email, password } })}
      >
        <TextInput name="email" type="email" label="E-mail" autoComplete="username" required autoFocus />
        <PasswordInput name="password" label="Password" autoComplete="current-password" required />
      </EntranceForm>
      <p className="soft">
        No account? Ask an owner or admin for an invitation. Forgot the password? Whoever runs Tollbook sets a new one
        with <code>npx tollbook users reset-password</code>.
      </p>
    </Entrance>
  );
}
