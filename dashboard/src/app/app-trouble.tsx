import { Button } from '@mantine/core';
import type { ErrorComponentProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Card } from '../shared/ui/card.tsx';
import { errorText } from '../shared/api/api-error.ts';
import { ErrorNote } from '../shared/ui/trouble.tsx';

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
