import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { CreatedInvitation, InvitationShape } from '../../../../src/contract/accounts.ts';
import { findChoice } from '../../shared/filter/usage-filter.ts';
import { isolated } from '../../shared/format/isolated.ts';
import { Actor } from '../../shared/names/actor.tsx';
import { rolesToGive } from '../../shared/session/rights.ts';
import { useSession, useWorkspace } from '../../shared/session/session.ts';
import { CopyBlock } from '../../shared/ui/copy-block.tsx';
import { DataTable, RowButton, type TableColumn } from '../../shared/ui/data-table.tsx';
import { ConfirmDialog, Dialog, FormDialog } from '../../shared/ui/dialog.tsx';
import { Note } from '../../shared/ui/note.tsx';
import { Ago, Breakable, Instant } from '../../shared/ui/values.tsx';
import { useInvite, useRevokeInvitation } from './queries.ts';
import { SelectField, TextField } from '../../shared/ui/form-inputs.tsx';

export function InvitationTable({ invitations }: { readonly invitations: readonly InvitationShape[] }): ReactNode {
  if (invitations.length === 0)
    return <p className="soft">No invitations. An invitation is a link that adds one person to this workspace.</p>;
  return <DataTable name="Invitations" columns={invitationColumns} rows={invitations} rowKey={({ id }) => id} />;
}

const invitationColumns: readonly TableColumn<InvitationShape>[] = [
  { id: 'email', name: 'For', cell: ({ email }) => <Breakable text={email ?? 'Anyone with the link'} /> },
  { id: 'role', name: 'Role', cell: ({ role }) => <span className="whole">{role}</span> },
  { id: 'by', name: 'Invited by', wideOnly: true, cell: ({ createdBy }) => <Actor id={createdBy} name={null} /> },
  { id: 'made', name: 'Created', wideOnly: true, cell: ({ createdAt }) => <Ago at={createdAt} /> },
  { id: 'state', name: 'State', cell: (invitation) => <InvitationState of={invitation} /> },
  { id: 'revoke', name: '', cell: (invitation) => invitation.state === 'open' && <RevokeInvitation of={invitation} /> },
];

interface InvitationProps {
  readonly of: InvitationShape;
}

const STATE_NAMES = { accepted: 'Accepted', open: 'Open', expired: 'Expired', revoked: 'Revoked' } as const;

function InvitationState({ of: { state, acceptedBy, expiresAt } }: InvitationProps): ReactNode {
  if (state === 'accepted')
    return (
      <>
        {' '}
        Accepted by <Actor id={null} name={acceptedBy} />{' '}
      </>
    );
  if (state !== 'open') return STATE_NAMES[state];
  return (
    <>
      {' '}
      Expires <Ago at={expiresAt} />{' '}
    </>
  );
}

function RevokeInvitation({ of }: InvitationProps): ReactNode {
  const [open, setOpen] = useState(false);
  const revoke = useRevokeInvitation(of);
  const close = (): void => setOpen(false);
  return (
    <>
      <RowButton
        actionLabel="Revoke"
        of={`invitation for ${of.email ?? 'anyone with the link'}`}
        onClick={() => setOpen(true)}
      />
      {open && (
        <ConfirmDialog
          title="Revoke invitation?"
          actionLabel="Revoke invitation"
          busy={revoke.isPending}
          error={revoke.error}
          onConfirm={() => revoke.mutate(undefined, { onSuccess: close })}
          onClose={close}
        >
          The link stops working.
        </ConfirmDialog>
      )}
    </>
  );
}

/** Invites a person by mail, or by a link where no mail server is set up. */
export function InviteButton(): ReactNode {
  const [open, setOpen] = useState(false);
  const { sendsMail = false } = useSession().account;
  return (
    <>
      <Button onClick={() => setOpen(true)}>{sendsMail ? 'Invite member' : 'Create invite link'}</Button>
      {open && <InviteDialog sendsMail={sendsMail} onClose={() => setOpen(false)} />}
    </>
  );
}

interface InviteDialogProps {
  readonly sendsMail: boolean;
  readonly onClose: () => void;
}

function InviteDialog({ sendsMail, onClose }: InviteDialogProps): ReactNode {
  const { role, name } = useWorkspace();
  const invite = useInvite();
  const roles = rolesToGive(role);
  if (invite.data) return <CreatedInvitationDialog of={invite.data} onClose={onClose} />;
  return (
    <FormDialog
      title={`Invite to ${isolated(name)}`}
      actionLabel={sendsMail ? 'Send invitation' : 'Create link'}
      busy={invite.isPending}
      error={invite.error}
      onClose={onClose}
      onSubmit={(fields) =>
        invite.mutate({ role: findChoice(roles, fields('role')) ?? 'viewer', email: fields('email') || null })
      }
    >
      <SelectField name="role" label="Role" data={[...roles]} defaultValue="member" />
      <TextField
        name="email"
        type="email"
        label={sendsMail ? 'Email' : 'Email (optional)'}
        required={sendsMail}
        description={
          sendsMail
            ? 'Tollbook mails the invitation. Only this address can accept it.'
            : 'Only this address can then accept. You get a link to share.'
        }
      />
    </FormDialog>
  );
}

interface CreatedInvitationProps {
  readonly of: CreatedInvitation;
  readonly onClose: () => void;
}

/** Says that the invitation is on its way; its link is shown in any case. */
function CreatedInvitationDialog({ of, onClose }: CreatedInvitationProps): ReactNode {
  const { email, link, mailed, mailError, expiresAt } = of;
  return (
    <Dialog title={mailed ? 'Invitation sent' : 'Share this link'} onClose={onClose}>
      <div className="stack">
        {mailed && <p>Tollbook mailed it to {isolated(email ?? '')}. You can also share the link yourself.</p>}
        {mailError !== null && (
          <Note kind="warn">
            <p>The invitation was not mailed. {mailError} Share the link yourself.</p>
          </Note>
        )}
        <p>
          Tollbook shows this link only once. It works once, until <Instant at={expiresAt} />.
        </p>
        <CopyBlock first name="invitation link" text={link} />
        <div className="row">
          <Button onClick={onClose}>Done</Button>
        </div>
      </div>
    </Dialog>
  );
}
