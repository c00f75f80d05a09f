import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useSignOut } from '../shared/session/use-sign-out.ts';

export function SignOutButton(): ReactNode {
  const signOut = useSignOut();
  return (
    <Button variant="default" loading={signOut.isPending} onClick={() => signOut.mutate('here')}>
      Sign out
    </Button>
  );
}
