import type { ReactNode } from 'react';
import { Card } from '../../shared/ui/card.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { useMay } from '../../shared/session/session.ts';
import { InvitationTable } from './invitation-table.tsx';
import { InviteButton } from './invite-button.tsx';
import { MemberTable } from './member-table.tsx';
import { RoleDescriptions } from './role-words.tsx';
import { useInvitations, useMembers } from './use-members.ts';

/** Who is in the workspace, as what, and who is invited. */
export function MembersPart(): ReactNode {
  const mayChange = useMay('manage');
  return (
    <div className="stack">
      <Card title="Members" aside={mayChange && <InviteButton />}>
        <Loaded of={useMembers()}>{(members) => <MemberTable members={members} />}</Loaded>
        <RoleDescriptions />
      </Card>
      {mayChange && <Invitations />}
    </div>
  );
}

function Invitations(): ReactNode {
  return (
    <Card title="Invitations">
      <Loaded of={useInvitations()}>{(invitations) => <InvitationTable invitations={invitations} />}</Loaded>
    </Card>
  );
}
