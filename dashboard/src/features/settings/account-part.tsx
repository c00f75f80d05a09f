import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { isolated } from '../../shared/format/isolated.ts';
import { useSession } from '../../shared/session/session.ts';
import { Card } from '../../shared/ui/card.tsx';
import { Facts } from '../../shared/ui/facts.tsx';
import { Form, FormError } from '../../shared/ui/form.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { Note } from '../../shared/ui/note.tsx';
import { useChangePassword, useRename, useSessions } from './queries.ts';
import { SessionTable } from './sessions.tsx';
import { PasswordField, TextField } from '../../shared/ui/form-inputs.tsx';
import { TablePlaceholder } from '../../shared/ui/placeholders.tsx';

const PASSWORD_LENGTH_MIN = 12;

/** Name, password and browser sessions of the user. */
export function AccountPart(): ReactNode {
  const { account, workspace } = useSession();
  return (
    <div className="halves">
      <Card title="Profile">
        <Facts
          of={[
            ['Email', account.user?.email ?? ''],
            ['Role', `${workspace.role} in ${isolated(workspace.name)}`],
          ]}
        />
        <NameForm name={account.user?.name ?? ''} />
      </Card>
      <Card title="Password">
        <PasswordForm />
      </Card>
      <Card title="Browser sessions">
        <Loaded of={useSessions()} placeholder={<TablePlaceholder rows={3} />}>
          {(sessions) => <SessionTable sessions={sessions} />}
        </Loaded>
        <p className="soft">To sign out everywhere, use the account menu.</p>
      </Card>
    </div>
  );
}

function NameForm({ name }: { readonly name: string }): ReactNode {
  const rename = useRename();
  return (
    <Form error={rename.error} onSubmit={(fields) => rename.mutate({ name: fields('name') })}>
      <TextField
        name="name"
        label="Name"
        description="Shown to others in all your workspaces"
        autoComplete="name"
        defaultValue={name}
        required
      />
      <FormError />
      {rename.isSuccess && <Note kind="info">Saved.</Note>}
      <div className="row">
        <Button type="submit" loading={rename.isPending}>
          Save name
        </Button>
      </div>
    </Form>
  );
}

function PasswordForm(): ReactNode {
  const change = useChangePassword();
  return (
    <Form
      error={change.error}
      onSubmit={(fields) =>
        change.mutate({
          currentPassword: fields('currentPassword'),
          newPassword: fields('newPassword'),
          revokeOtherSessions: true,
        })
      }
    >
      <PasswordField name="currentPassword" label="Current password" autoComplete="current-password" required />
      <PasswordField
        name="newPassword"
        label="New password"
        description={`At least ${PASSWORD_LENGTH_MIN} characters`}
        autoComplete="new-password"
        minLength={PASSWORD_LENGTH_MIN}
        required
      />
      <FormError />
      {change.isSuccess && <Note kind="info">Password changed. Other browsers are signed out.</Note>}
      <div className="row">
        <Button type="submit" loading={change.isPending}>
          Change password
        </Button>
      </div>
    </Form>
  );
}
