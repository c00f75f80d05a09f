import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import styles from './loaded.module.css';
import { ErrorNote } from './note.tsx';

interface LoadedProps<Answer> {
  readonly of: UseQueryResult<Answer>;
  /** Placeholder lines while loading. */
  readonly rows?: number;
  readonly children: (answer: Answer) => ReactNode;
}

/** Shows loaded data. If a refresh fails, the old data stays below an error note. */
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

/** Placeholder lines while data loads. They appear after 400 ms, so fast responses never flicker. */
function LoadingLines({ rows = 3 }: { readonly rows?: number }): ReactNode {
  return (
    <div className={styles.waiting} role="status">
      <span className="visually-hidden">Loading…</span>
      {Array.from({ length: rows }, (_, row) => (
        <span key={row} className={styles.bar} />
      ))}
    </div>
  );
}
