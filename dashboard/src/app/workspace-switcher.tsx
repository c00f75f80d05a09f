import { NativeSelect } from '@mantine/core';
import type { ReactNode } from 'react';
import { useNavigate } from '@tanstack/react-router';
import { useSession } from '../shared/session/session.ts';

/** Which workspace is shown. It stands in the address, so that a link shows the same to whoever may see it. */
export function WorkspaceSwitcher(): ReactNode {
  const { account, workspace } = useSession();
  const navigate = useNavigate();
  const workspaces = account.workspaces ?? [];
  if (workspaces.length < 2) return null;
  return (
    <NativeSelect
      aria-label="Workspace"
      value={workspace.id}
      // Filters of one workspace mean nothing in another: its overview is shown.
      onChange={({ currentTarget }) => void navigate({ to: '/', search: { workspace: currentTarget.value } })}
      data={workspaces.map(({ id, name }) => ({ value: id, label: name }))}
    />
  );
}
