import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { accountQuery } from '../../shared/session/account.ts';
import { Card } from '../../shared/ui/card.tsx';
import { CopyBlock } from '../../shared/ui/copy-block.tsx';
import { Form, FormError } from '../../shared/ui/form.tsx';
import styles from './auth-page.module.css';
import { PasswordField, TextField } from '../../shared/ui/form-inputs.tsx';

interface AuthPageProps {
  readonly title: string;
  readonly children: ReactNode;
}

/** Frame of the pages for people who are not signed in. */
export function AuthPage({ title, children }: AuthPageProps): ReactNode {
  const { data: account } = useQuery(accountQuery);
  useEffect(() => {
    document.title = `${title} · Tollbook`;
  }, [title]);
  return (
    <main className={styles.page}>
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
  /** Label of the button: "Sign in". */
  readonly actionLabel: string;
  readonly busy: boolean;
  readonly error: unknown;
  /** Called with the values by field name. */
  readonly onSubmit: (fields: Readonly<Record<string, string>>) => void;
  readonly children: ReactNode;
}

const CREDENTIALS = ['name', 'email', 'password'] as const;

/** A form that password managers recognize. */
export function AuthForm({ actionLabel, busy, error, onSubmit, children }: AuthFormProps): ReactNode {
  return (
    <Form
      className={styles.form}
      error={error}
      onSubmit={(fields) => {
        const filled = CREDENTIALS.filter((name) => fields(name) !== '');
        onSubmit(Object.fromEntries(filled.map((name) => [name, fields(name)])));
      }}
    >
      {children}
      <FormError />
      <Button type="submit" loading={busy}>
        {actionLabel}
      </Button>
    </Form>
  );
}

const PASSWORD_LENGTH_MIN = 12;
const PASSWORD_LENGTH_MAX = 128;

/** Name, email address and password of a new account. */
export function NewCredentials({ email }: { readonly email?: string | null }): ReactNode {
  return (
    <>
      <TextField name="name" label="Your name" autoComplete="name" required autoFocus />
      <TextField
        name="email"
        type="email"
        label="Email"
        description="Used to sign in."
        autoComplete="username"
        required
        {...(email ? { defaultValue: email, readOnly: true } : {})}
      />
      <PasswordField
        name="password"
        label="Password"
        description={`At least ${PASSWORD_LENGTH_MIN} characters. A short phrase works well.`}
        autoComplete="new-password"
        required
        minLength={PASSWORD_LENGTH_MIN}
        maxLength={PASSWORD_LENGTH_MAX}
      />
    </>
  );
}

/** Explains the owner link to visitors before the first account exists. Only the operator sees that link. */
export function NotClaimed(): ReactNode {
  return (
    <AuthPage title="Create the owner account">
      <p>
        When Tollbook started, it printed a link that ends in <code>/claim#…</code>. Open this link to create the owner
        account. It works once.
      </p>
      <p className="soft">To print a new link, run this command where Tollbook runs:</p>
      <CopyBlock name="command" text="npx tollbook claim" />
    </AuthPage>
  );
}
