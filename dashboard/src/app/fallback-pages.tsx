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

/** The server no longer has this part of the page: Tollbook was updated after the page was opened. */
const CHUNK_IS_MISSING = /dynamically imported module|module script failed/i;

/** Replaces a page that crashed. */
export function PageError({ error, reset }: ErrorComponentProps): ReactNode {
  const updated = CHUNK_IS_MISSING.test(errorText(error));
  return (
    <Card title={updated ? 'Tollbook was updated' : 'This page crashed'}>
      {updated ? (
        <p>Reload the page to use the new version.</p>
      ) : (
        <>
          <p>Only this page is affected: calls and limits keep working. The error was:</p>
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
    <EmptyState icon="search" title="Page not found" action={<PageLink to="/">Go to Overview</PageLink>}>
      Check the address, or use the menu to find your way.
    </EmptyState>
  );
}

export function NoWorkspace(): ReactNode {
  return (
    <EmptyState icon="person" title="No workspace" action={<SignOutButton />}>
      You are not a member of any workspace. Ask an owner or admin for an invitation. The operator can create one with{' '}
      <code>npx tollbook invitations create</code>.
    </EmptyState>
  );
}
