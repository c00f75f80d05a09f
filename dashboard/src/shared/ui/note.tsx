import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { ApiError, errorText } from '../api/api-error.ts';
import { Icon } from './icon.tsx';
import styles from './note.module.css';

interface NoteProps {
  readonly kind: 'info' | 'warn' | 'bad';
  readonly children: ReactNode;
}

/** Something the reader should know here and now. */
export function Note({ kind, children }: NoteProps): ReactNode {
  return (
    <div className={styles.note} data-kind={kind} role={kind === 'bad' ? 'alert' : undefined}>
      <Icon name={kind === 'info' ? 'right' : 'warning'} />
      <div className={styles.text}>{children}</div>
    </div>
  );
}

interface ErrorNoteProps {
  readonly error: unknown;
  /** Tries again what failed. */
  readonly retry?: () => void;
}

/** What went wrong, in the sentence of whoever found it; where the log of the service has a line on it, with its id. */
export function ErrorNote({ error, retry }: ErrorNoteProps): ReactNode {
  const requestId = error instanceof ApiError && error.status >= 500 ? error.requestId : null;
  return (
    <Note kind="bad">
      <p>{errorText(error)}</p>
      {requestId !== null && (
        <p className="soft">
          In the log of the service: <code>{requestId}</code>
        </p>
      )}
      {retry && (
        <Button size="xs" variant="default" onClick={retry}>
          Try again
        </Button>
      )}
    </Note>
  );
}
