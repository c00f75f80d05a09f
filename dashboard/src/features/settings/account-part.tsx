import { Button, PasswordInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { Card } from '../../shared/parts/card.tsx';
import { Facts } from '../../shared/parts/facts.tsx';
import { useFields } from '../../shared/parts/fields.ts';
import { Loaded } from '../../shared/parts/loaded.tsx';
import { Note } from '../../shared/parts/note.tsx';
import { Trouble } from '../../shared/parts/trouble.tsx';
import { useSession } from '../../shared/session/session.ts';
import { SessionTable } from './session-table.tsx';
import { useChangePassword, useSessions } from './use-account.ts';

const PASSWORD_LENGTH_MIN = 12;

/** Who one is, one's password, and where one is signed in. */
export function AccountPart(): ReactNode {
  const { account, workspace } = useSession();
  return (
    <div className="halves">
      <Card title="You">
        <Facts
          of={[
            ['Name', account.user?.name ?? ''],
            ['E-mail', account.user?.email ?? ''],
            ['Role', `${workspace.role} of ${workspace.name}`],
          ]}
        />
      </Card>
      <Card title="Password">
        <PasswordForm />
      </Card>
      <Card title="Where you are signed in">
        <Loaded of={useSessions()}>{(sessions) => <SessionTable sessions={sessions} />}</Loaded>
        <p className="soft">The menu of your account signs you out here, or everywhere.</p>
      </Card>
    </div>
  );
}

function PasswordForm(): ReactNode {
  const change = useChangePassword();
  const submit = useFields((fields) =>
    change.mutate({ currentPassword: fields('current'), newPassword: fields('next'), revokeOtherSessions: true }),
  );
  return (
    <form className="stack" onSubmit={submit}>
      <PasswordInput name="current" label="Present password" autoComplete="current-password" required />
      <PasswordInput
        name="next"
        label="New password"
        description={`At least ${PASSWORD_LENGTH_MIN} characters`}
        autoComplete="new-password"
        minLength={PASSWORD_LENGTH_MIN}
        required
      />
      {change.error && <Trouble error={change.error} />}
      {change.isSuccess && <Note kind="info">Changed. Other browsers are signed out.</Note>}
      <div className="row">
        <Button type="submit" loading={change.isPending}>
          Change password
        </Button>
      </div>
    </form>
  );
}
