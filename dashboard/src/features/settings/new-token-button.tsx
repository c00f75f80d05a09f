import { Button, Checkbox, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { CopyBlock } from '../../shared/ui/copy-block.tsx';
import { Dialog } from '../../shared/ui/dialog.tsx';
import { FormDialog } from '../../shared/ui/form-dialog.tsx';
import { useMay, useWorkspace } from '../../shared/session/session.ts';
import { endOfDay } from '../../shared/time/end-of-day.ts';
import { type TokenScope, useCreateToken } from './use-tokens.ts';

const SCOPE_NAMES: Readonly<Record<TokenScope, string>> = {
  'usage:read': 'Read usage, calls, limits, prices and savings',
  'alerts:read': 'Read alerts and mark them',
  'webhooks:write': 'List and change webhooks',
  'sync:write': 'Upload local sessions',
  admin: 'Everything in this workspace',
};
/** Whoever manages may give all of them, others what a member may. */
const MEMBER_SCOPES: readonly TokenScope[] = ['usage:read', 'alerts:read', 'sync:write'];
const ADMIN_SCOPES: readonly TokenScope[] = [...MEMBER_SCOPES, 'webhooks:write', 'admin'];
const DEFAULT_SCOPES: readonly TokenScope[] = MEMBER_SCOPES;

export function NewTokenButton(): ReactNode {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>Make a token</Button>
      {open && <NewTokenDialog onClose={() => setOpen(false)} />}
    </>
  );
}

function NewTokenDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { timeZone } = useWorkspace();
  const scopes = useMay('manage') ? ADMIN_SCOPES : MEMBER_SCOPES;
  const create = useCreateToken();
  if (create.data) return <TokenCreated secret={create.data.token} onClose={onClose} />;
  return (
    <FormDialog
      title="Make an access token"
      deed="Make it"
      busy={create.isPending}
      error={create.error}
      onClose={onClose}
      onSubmit={(fields) => {
        const lastDay = fields('lastDay');
        create.mutate({
          name: fields('name'),
          scopes: scopes.filter((scope) => fields(scope) !== ''),
          expiresAt: lastDay === '' ? null : endOfDay(lastDay, timeZone),
        });
      }}
    >
      <TextInput name="name" label="Name" description="What will use it" required />
      <Checkbox.Group label="It may" defaultValue={[...DEFAULT_SCOPES]}>
        <div className="stack">
          {scopes.map((scope) => (
            <Checkbox key={scope} name={scope} value={scope} label={SCOPE_NAMES[scope]} description={scope} />
          ))}
        </div>
      </Checkbox.Group>
      <TextInput
        name="lastDay"
        type="date"
        label="Last day it works"
        description={`Days of ${timeZone}; empty = it works until it is revoked`}
      />
    </FormDialog>
  );
}

function TokenCreated({ secret, onClose }: { readonly secret: string; readonly onClose: () => void }): ReactNode {
  return (
    <Dialog title="Keep the token" onClose={onClose}>
      <div className="stack">
        <p>It is shown only now.</p>
        <CopyBlock first name="access token" text={secret} />
        <p className="soft">For the tools of an assistant:</p>
        <CopyBlock name="setup of the tools" text="SVC_API_KEY=<the token> npx tollbook tools --setup" />
        <div className="row">
          <Button onClick={onClose}>Done</Button>
        </div>
      </div>
    </Dialog>
  );
}
