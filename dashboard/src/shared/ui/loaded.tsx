import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import styles from './loaded.module.css';
import { ErrorNote } from './note.tsx';
import { LinesPlaceholder } from './placeholders.tsx';

interface LoadedProps<Answer> {
  readonly of: UseQueryResult<Answer>;
  /** Shape of the content while it loads; default: three lines. */
  readonly placeholder?: ReactNode;
  readonly children: (answer: Answer) => ReactNode;
}

/** Shows loaded data. If a refresh fails, the old data stays below an error note. */
export function Loaded<Answer>({ of, placeholder, children }: LoadedProps<Answer>): ReactNode {
  const error = lastError(of);
  if (of.data === undefined)
    return error ? (
      <ErrorNote error={error} retry={() => void of.refetch()} />
    ) : (
      <Loading>{placeholder ?? <LinesPlaceholder />}</Loading>
    );
  return (
    <>
      {error && <ErrorNote error={error} retry={() => void of.refetch()} />}
      {children(of.data)}
    </>
  );
}

/** Returns the error of a query, also while it is tried again, so that the note does not come and go. */
export function lastError({
  error,
  errorUpdateCount,
  failureReason,
}: Pick<UseQueryResult, 'error' | 'errorUpdateCount' | 'failureReason'>): Error | null {
  return error ?? (errorUpdateCount > 0 ? failureReason : null);
}

/** A placeholder becomes visible after 400 ms, so fast responses never flicker. */
function Loading({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <div className={styles.waiting} role="status">
      <span className="visually-hidden">Loading…</span>
      {children}
    </div>
  );
}
