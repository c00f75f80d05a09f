import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ErrorNote } from './trouble.tsx';
import { LoadingLines } from './waiting.tsx';

interface LoadedProps<Answer> {
  readonly of: UseQueryResult<Answer>;
  /** Lines to keep free while it is read. */
  readonly rows?: number;
  readonly children: (answer: Answer) => ReactNode;
}

/** What was read, once it is there. An answer that could not be renewed stays, under a note that says so. */
export function Loaded<Answer>({ of, rows = 3, children }: LoadedProps<Answer>): ReactNode {
  if (of.data === undefined)
    return of.error ? <ErrorNote error={of.error} retry={() => void of.refetch()} /> : <LoadingLines rows={rows} />;
  return (
    <>
      {of.error && <ErrorNote error={of.error} retry={() => void of.refetch()} />}
      {children(of.data)}
    </>
  );
}
