import { NativeSelect } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { MemberShape } from '../../../../src/contract/accounts.ts';
import { findChoice } from '../../shared/filter/usage-filter.ts';
import { isolated } from '../../shared/format/isolated.ts';
import { mayAppoint, rolesToGive } from '../../shared/session/rights.ts';
import { useMay, useSession } from '../../shared/session/session.ts';
import { Card } from '../../shared/ui/card.tsx';
import { DataTable, RowButton, type TableColumn } from '../../shared/ui/data-table.tsx';
import { ConfirmDialog } from '../../shared/ui/dialog.tsx';
import { Facts } from '../../shared/ui/facts.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { More } from '../../shared/ui/more.tsx';
import { ErrorNote } from '../../shared/ui/note.tsx';
import { Breakable, Instant } from '../../shared/ui/values.tsx';
import { InvitationTable, InviteButton } from './invitations.tsx';
import { useInvitations, useMembers, useRemoveMember, useSetRole } from './queries.ts';
import { TablePlaceholder } from '../../shared/ui/placeholders.tsx';

/** Members, their roles, and invitations. */
export function MembersPart(): ReactNode {
  const mayChange = useMay('manage');
  return (
    <div className="stack">
      <Card title="Members" aside={mayChange && <InviteButton />}>
        <Loaded of={useMembers()} placeholder={<TablePlaceholder rows={3} />}>
          {(members) => <MemberTable members={members} />}
        </Loaded>
        <RoleDescriptions />
      </Card>
      {mayChange && <Invitations />}
    </div>
  );
}

/** Description of each role. */
function RoleDescriptions(): ReactNode {
  return (
    <More title="Roles">
      <Facts
        of={[
          ['Viewer', 'Can view everything in the workspace.'],
          ['Member', 'Can also create wrapped keys and access tokens, change their own, and mark alerts as read.'],
          ['Admin', 'Can also change limits, webhooks, prices, connections, and members other than owners.'],
          ['Owner', 'Can also change owners. Owners of the first workspace manage the whole installation.'],
        ]}
      />
    </More>
  );
}

function MemberTable({ members }: { readonly members: readonly MemberShape[] }): ReactNode {
  return <DataTable name="Members" columns={memberColumns} rows={members} rowKey={({ userId }) => userId} />;
}

const memberColumns: readonly TableColumn<MemberShape>[] = [
  { id: 'name', name: 'Name', sortBy: ({ name }) => name, cell: (member) => <MemberName member={member} /> },
  {
    id: 'since',
    name: 'Member since',
    wideOnly: true,
    sortBy: ({ since }) => since,
    cell: ({ since }) => <Instant at={since} />,
  },
  { id: 'role', name: 'Role', cell: (member) => <RoleField member={member} /> },
  { id: 'remove', name: '', cell: (member) => <RemoveMember member={member} /> },
];

interface MemberProps {
  readonly member: MemberShape;
}

function MemberName({ member }: MemberProps): ReactNode {
  const { account } = useSession();
  return (
    <>
      {isolated(member.name)} {account.user?.id === member.userId && <span className="soft">(you)</span>}
      <span className="soft beneath">
        <Breakable text={member.email} />
      </span>
    </>
  );
}

/** Role of a member, as a selection for users who may change it. */
function RoleField({ member }: MemberProps): ReactNode {
  const { workspace } = useSession();
  const setRole = useSetRole(member);
  if (!mayAppoint(workspace.role, member.role)) return <span className="whole">{member.role}</span>;
  const roles = rolesToGive(workspace.role);
  return (
    <>
      <NativeSelect
        aria-label={`Role of ${isolated(member.name)}`}
        miw="7.25rem"
        value={setRole.isPending ? setRole.variables : member.role}
        onChange={({ currentTarget }) => {
          const role = findChoice(roles, currentTarget.value);
          if (role) setRole.mutate(role);
        }}
        data={[...roles]}
      />
      {setRole.error && <ErrorNote error={setRole.error} />}
    </>
  );
}

function RemoveMember({ member }: MemberProps): ReactNode {
  const { workspace } = useSession();
  const [open, setOpen] = useState(false);
  if (!mayAppoint(workspace.role, member.role)) return null;
  return (
    <>
      <RowButton actionLabel="Remove" of={member.name} onClick={() => setOpen(true)} />
      {open && <RemoveMemberDialog member={member} onClose={() => setOpen(false)} />}
    </>
  );
}

function RemoveMemberDialog({ member: shown, onClose }: MemberProps & { readonly onClose: () => void }): ReactNode {
  const { workspace } = useSession();
  // Keep the values from when the dialog opened: the page behind it refreshes.
  const [member] = useState(shown);
  const remove = useRemoveMember(member);
  return (
    <ConfirmDialog
      title={`Remove ${isolated(member.name)}?`}
      actionLabel="Remove member"
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      {isolated(member.email)} loses access to {isolated(workspace.name)}. Their access tokens and open invitations are
      revoked. Wrapped keys keep working.
    </ConfirmDialog>
  );
}

function Invitations(): ReactNode {
  return (
    <Card title="Invitations">
      <Loaded of={useInvitations()} placeholder={<TablePlaceholder rows={1} />}>
        {(invitations) => <InvitationTable invitations={invitations} />}
      </Loaded>
    </Card>
  );
}
