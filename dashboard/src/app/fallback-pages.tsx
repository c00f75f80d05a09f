import { Button } from '@mantine/core';
import type { ErrorComponentProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { errorText } from '../shared/api/api-error.ts';
import { useSignOut } from '../shared/session/use-sign-out.ts';
import { Card } from '../shared/ui/card.tsx';
import { EmptyState } from '../shared/ui/empty-state.tsx';
import { PageLink } from '../shared/ui/links.tsx';
import { ErrorNote } from '../shared/ui/note.tsx';

function SignOutButton(): ReactNode {
  const signOut = useSignOut();
  return (
    <Button variant="default" loading={signOut.isPending} onClick={() => signOut.mutate('here')}>
      Sign out
    </Button>
  );
}

/** A piece that a page is made of is gone from the server: there was an update since this page was opened. */
const CHUNK_IS_MISSING = /dynamically imported module|module script failed/i;

/** Stands where a page broke. What is in the book is not touched by it. */
export function PageError({ error, reset }: ErrorComponentProps): ReactNode {
  const updated = CHUNK_IS_MISSING.test(errorText(error));
  return (
    <Card title={updated ? 'Tollbook was updated' : 'This page broke'}>
      {updated ? (
        <p>A newer dashboard is there. Reload to get it.</p>
      ) : (
        <>
          <p>The book and the gate are not affected. What the page said of it:</p>
          <ErrorNote error={error} />
        </>
      )}
      <div className="row">
        <Button onClick={() => globalThis.location.reload()}>Reload</Button>
        {!updated && (
          <Button variant="default" onClick={reset}>
            Try again
          </Button>
        )}
      </div>
    </Card>
  );
}

export function PageNotFound(): ReactNode {
  return (
    <EmptyState icon="search" title="There is no such page" action={<PageLink to="/">To the overview</PageLink>}>
      The address may be cut short. Everything there is stands in the navigation.
    </EmptyState>
  );
}

export function NoWorkspace(): ReactNode {
  return (
    <EmptyState icon="person" title="You are in no workspace" action={<SignOutButton />}>
      Ask an owner or admin for an invitation. Whoever runs Tollbook can make one with{' '}
      <code>npx tollbook invitations create</code>.
    </EmptyState>
  );
}
