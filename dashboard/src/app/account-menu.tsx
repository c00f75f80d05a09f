import { ActionIcon, Menu } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { isolated } from '../shared/format/isolated.ts';
import { useSession } from '../shared/session/session.ts';
import { type SignOutScope, useSignOut } from '../shared/session/use-sign-out.ts';
import { ConfirmDialog } from '../shared/ui/dialog.tsx';
import { Icon } from '../shared/ui/icon.tsx';

export function AccountMenu(): ReactNode {
  const { account, workspace } = useSession();
  const navigate = useNavigate();
  const signOut = useSignOut();
  const [asking, setAsking] = useState(false);
  const leave = (scope: SignOutScope): void => signOut.mutate(scope);
  return (
    <>
      <Menu position="bottom-end" shadow="md" withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <ActionIcon variant="subtle" size="lg" aria-label="Account">
            <Icon name="person" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>
            {isolated(account.user?.name ?? '')} · {account.user?.email}
          </Menu.Label>
          <Menu.Label>
            {isolated(workspace.name)}: {workspace.role}
          </Menu.Label>
          <Menu.Divider />
          <Menu.Item onClick={() => void navigate({ to: '/settings', search: { part: 'account' } })}>
            Your account
          </Menu.Item>
          <Menu.Item onClick={() => void navigate({ to: '/settings' })}>Settings</Menu.Item>
          <Menu.Item onClick={() => leave('here')}>Sign out</Menu.Item>
          <Menu.Item onClick={() => setAsking(true)}>Sign out everywhere</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {asking && (
        <ConfirmDialog
          title="Sign out everywhere?"
          actionLabel="Sign out everywhere"
          busy={signOut.isPending}
          error={signOut.error}
          onConfirm={() => leave('everywhere')}
          onClose={() => setAsking(false)}
        >
          This signs you out of every browser, including this one. Access tokens and wrapped keys keep working.
        </ConfirmDialog>
      )}
    </>
  );
}
