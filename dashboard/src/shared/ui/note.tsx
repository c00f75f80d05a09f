import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { ApiError, CHANGED, errorText, isForbidden } from '../api/api-error.ts';
import { Icon } from './icon.tsx';
import styles from './note.module.css';

interface NoteProps {
  readonly kind: 'info' | 'warn' | 'bad';
  readonly children: ReactNode;
}

/** A highlighted message. */
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
  /** Retries the failed request. Not offered if the user has no right to it. */
  readonly retry?: () => void;
}

/** An error message; server errors include the request ID for the log. A record that changed meanwhile can be reloaded. */
export function ErrorNote({ error, retry }: ErrorNoteProps): ReactNode {
  const requestId = error instanceof ApiError && error.status >= 500 ? error.requestId : null;
  return (
    <Note kind="bad">
      <p>{errorText(error)}</p>
      {requestId !== null && (
        <p className="soft">
          Request ID in the server log: <code>{requestId}</code>
        </p>
      )}
      {error instanceof ApiError && error.status === CHANGED && (
        <Button size="xs" variant="default" onClick={() => location.reload()}>
          Reload page
        </Button>
      )}
      {retry && !isForbidden(error) && (
        <Button size="xs" variant="default" onClick={retry}>
          Try again
        </Button>
      )}
    </Note>
  );
}
