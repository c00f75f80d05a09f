import type { ReactNode } from 'react';
import { EmptyState } from '../shared/ui/empty-state.tsx';
import { SignOutButton } from './sign-out-button.tsx';

export function NoWorkspace(): ReactNode {
  return (
    <EmptyState icon="person" title="You are in no workspace" action={<SignOutButton />}>
      Ask an owner or admin for an invitation. Whoever runs Tollbook can make one with{' '}
      <code>npx tollbook invitations create</code>.
    </EmptyState>
  );
}
