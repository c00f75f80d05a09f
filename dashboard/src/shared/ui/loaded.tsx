import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import styles from './loaded.module.css';
import { ErrorNote } from './note.tsx';

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

/**
 * The place of what is being read, so that nothing jumps when it is there. It shows nothing for its first 400 ms: what
 * is quick never flickers.
 */
function LoadingLines({ rows = 3 }: { readonly rows?: number }): ReactNode {
  return (
    <div className={styles.waiting} role="status">
      <span className="visually-hidden">Reading the book</span>
      {Array.from({ length: rows }, (_, row) => (
        <span key={row} className={styles.bar} />
      ))}
    </div>
  );
}
