import { Button, NativeSelect, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { findChoice } from '../../shared/filter/usage-filter.ts';
import { CopyBlock } from '../../shared/ui/copy-block.tsx';
import { Dialog } from '../../shared/ui/dialog.tsx';
import { FormDialog } from '../../shared/ui/form-dialog.tsx';
import { useWorkspace } from '../../shared/session/session.ts';
import { rolesToGive } from './role-choices.ts';
import { useInvite } from './use-members.ts';
import { isolated } from '../../shared/format/isolated.ts';

export function InviteButton(): ReactNode {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>Invite</Button>
      {open && <InviteDialog onClose={() => setOpen(false)} />}
    </>
  );
}

function InviteDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { role, name } = useWorkspace();
  const invite = useInvite();
  const roles = rolesToGive(role);
  if (invite.data) return <InvitationLink link={invite.data.link} onClose={onClose} />;
  return (
    <FormDialog
      title={`Invite to ${isolated(name)}`}
      deed="Make the link"
      busy={invite.isPending}
      error={invite.error}
      onClose={onClose}
      onSubmit={(fields) =>
        invite.mutate({ role: findChoice(roles, fields('role')) ?? 'viewer', email: fields('email') || null })
      }
    >
      <NativeSelect name="role" label="As" data={[...roles]} defaultValue="member" />
      <TextInput
        name="email"
        type="email"
        label="For the e-mail address"
        description="Empty = whoever has the link. Nothing is sent: you pass the link on."
      />
    </FormDialog>
  );
}

function InvitationLink({ link, onClose }: { readonly link: string; readonly onClose: () => void }): ReactNode {
  return (
    <Dialog title="Pass this link on" onClose={onClose}>
      <div className="stack">
        <p>It is shown only now, works once, and for seven days.</p>
        <CopyBlock first name="invitation link" text={link} />
        <div className="row">
          <Button onClick={onClose}>Done</Button>
        </div>
      </div>
    </Dialog>
  );
}
