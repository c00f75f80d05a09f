import { type ReactNode, useState } from 'react';
import type { InvitationShape } from '../../../../src/contract/accounts.ts';
import { Breakable } from '../../shared/theme/breakable.tsx';
import { Ago } from '../../shared/theme/instant.tsx';
import { Actor } from '../../shared/names/actor.tsx';
import { ConfirmDialog } from '../../shared/ui/confirm-dialog.tsx';
import { type TableColumn, DataTable } from '../../shared/ui/data-table.tsx';
import { RowButton } from '../../shared/ui/row-button.tsx';
import { useRevokeInvitation } from './use-members.ts';

export function InvitationTable({ invitations }: { readonly invitations: readonly InvitationShape[] }): ReactNode {
  if (invitations.length === 0)
    return <p className="soft">None. An invitation is a link that makes whoever opens it a member, once.</p>;
  return <DataTable name="Invitations" columns={invitationColumns} rows={invitations} rowKey={({ id }) => id} />;
}

const invitationColumns: readonly TableColumn<InvitationShape>[] = [
  { id: 'email', name: 'For', cell: ({ email }) => <Breakable text={email ?? 'whoever has the link'} /> },
  { id: 'role', name: 'As', cell: ({ role }) => <span className="whole">{role}</span> },
  { id: 'by', name: 'By', wideOnly: true, cell: ({ madeBy }) => <Actor id={madeBy} name={null} /> },
  { id: 'made', name: 'Made', wideOnly: true, cell: ({ createdAt }) => <Ago at={createdAt} /> },
  { id: 'state', name: 'State', cell: (invitation) => <InvitationState of={invitation} /> },
  { id: 'revoke', name: '', cell: (invitation) => invitation.state === 'open' && <RevokeInvitation of={invitation} /> },
];

interface InvitationProps {
  readonly of: InvitationShape;
}

function InvitationState({ of: { state, acceptedBy, expiresAt } }: InvitationProps): ReactNode {
  if (state === 'accepted')
    return (
      <>
        accepted by <Actor id="somebody" name={acceptedBy} />
      </>
    );
  if (state !== 'open') return state;
  return (
    <>
      open, ends <Ago at={expiresAt} />
    </>
  );
}

function RevokeInvitation({ of }: InvitationProps): ReactNode {
  const [open, setOpen] = useState(false);
  const revoke = useRevokeInvitation(of.id);
  const close = (): void => setOpen(false);
  return (
    <>
      <RowButton
        deed="Revoke"
        of={`invitation for ${of.email ?? 'whoever has the link'}`}
        onClick={() => setOpen(true)}
      />
      {open && (
        <ConfirmDialog
          title="Revoke the invitation?"
          deed="Revoke"
          busy={revoke.isPending}
          error={revoke.error}
          onConfirm={() => revoke.mutate(undefined, { onSuccess: close })}
          onClose={close}
        >
          Its link makes nobody a member any more.
        </ConfirmDialog>
      )}
    </>
  );
}
