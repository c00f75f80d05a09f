import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useEffect } from 'react';
import { accountQuery } from '../../shared/session/account.ts';
import { Card } from '../../shared/ui/card.tsx';
import { CopyBlock } from '../../shared/ui/copy-block.tsx';
import { refuseBlank } from '../../shared/ui/fields.ts';
import { ErrorNote } from '../../shared/ui/note.tsx';
import styles from './auth-page.module.css';

interface AuthPageProps {
  readonly title: string;
  readonly children: ReactNode;
}

/** Around the pages of those who are not signed in yet. */
export function AuthPage({ title, children }: AuthPageProps): ReactNode {
  const { data: account } = useQuery(accountQuery);
  useEffect(() => {
    document.title = `${title} · Tollbook`;
  }, [title]);
  return (
    <main className={styles.entrance}>
      <div className={styles.brand}>
        <img src="/favicon.svg" alt="" width="34" height="34" />
        Tollbook
        {account?.demo && <span className={styles.demo}>DEMO</span>}
      </div>
      <Card>
        <h1>{title}</h1>
        {children}
      </Card>
    </main>
  );
}

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

const PASSWORD_LENGTH_MIN = 12;
const PASSWORD_LENGTH_MAX = 128;

/** Name, address and password of somebody who has no account yet. */
export function NewCredentials({ email }: { readonly email?: string | null }): ReactNode {
  return (
    <>
      <TextInput name="name" label="Your name" autoComplete="name" required autoFocus />
      <TextInput
        name="email"
        type="email"
        label="E-mail"
        description="To sign in with. Nothing is sent to it."
        autoComplete="username"
        required
        {...(email ? { defaultValue: email, readOnly: true } : {})}
      />
      <PasswordInput
        name="password"
        label="Password"
        description={`At least ${PASSWORD_LENGTH_MIN} characters. A few words in a row are good.`}
        autoComplete="new-password"
        required
        minLength={PASSWORD_LENGTH_MIN}
        maxLength={PASSWORD_LENGTH_MAX}
      />
    </>
  );
}

/** Nobody has an account yet: the first one is made by a link that only whoever runs Tollbook sees. */
export function NotClaimed(): ReactNode {
  return (
    <AuthPage title="Make this Tollbook yours">
      <p>
        When Tollbook started, it printed a link that ends in <code>/claim#…</code>. Open it: it makes the owner’s
        account and works once.
      </p>
      <p className="soft">The link is gone from your terminal? Have a new one printed where Tollbook runs:</p>
      <CopyBlock name="command" text="npx tollbook claim" />
    </AuthPage>
  );
}
