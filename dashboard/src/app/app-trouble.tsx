import { Button } from '@mantine/core';
import type { ErrorComponentProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Card } from '../shared/ui/card.tsx';
import { sentenceOf } from '../shared/api/api-error.ts';
import { Trouble } from '../shared/ui/trouble.tsx';

/** A piece that a page is made of is gone from the server: there was an update since this page was opened. */
const PIECE_IS_GONE = /dynamically imported module|module script failed/i;

/** Stands where a page broke. What is in the book is not touched by it. */
export function AppTrouble({ error, reset }: ErrorComponentProps): ReactNode {
  const updated = PIECE_IS_GONE.test(sentenceOf(error));
  return (
    <Card title={updated ? 'Tollbook was updated' : 'This page broke'}>
      {updated ? (
        <p>A newer dashboard is there. Reload to get it.</p>
      ) : (
        <>
          <p>The book and the gate are not affected. What the page said of it:</p>
          <Trouble error={error} />
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
