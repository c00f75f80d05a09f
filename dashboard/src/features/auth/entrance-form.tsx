import { Button } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { refuseBlank } from '../../shared/ui/fields.ts';
import { ErrorNote } from '../../shared/ui/trouble.tsx';
import styles from './entrance.module.css';

interface AuthFormProps {
  /** What the button does: "Sign in". */
  readonly deed: string;
  readonly busy: boolean;
  readonly error: unknown;
  /** The fields by their names. */
  readonly onSubmit: (fields: Readonly<Record<string, string>>) => void;
  readonly children: ReactNode;
}

/** A form that the browser's own password keeper understands. */
export function AuthForm({ deed, busy, error, onSubmit, children }: AuthFormProps): ReactNode {
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (refuseBlank(event.currentTarget)) return;
    const fields = [...new FormData(event.currentTarget)];
    onSubmit(Object.fromEntries(fields.map(([name, value]) => [name, typeof value === 'string' ? value : ''])));
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      {children}
      {error !== null && error !== undefined && <ErrorNote error={error} />}
      <Button type="submit" loading={busy}>
        {deed}
      </Button>
    </form>
  );
}
