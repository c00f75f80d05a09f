import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { WrappedKeyShape } from '../../../../src/contract/usage.ts';
import { useSession } from '../../shared/session/session.ts';
import { EditKeyDialog } from './edit-key-dialog.tsx';
import { mayChangeKey } from './may-change-key.ts';
import { ReplaceDialog } from './replace-dialog.tsx';
import { RevokeDialog } from './revoke-dialog.tsx';

type Deed = 'edit' | 'replace' | 'revoke';

/** What can be done with a key by whoever looks at it. */
export function KeyActions({ of }: { readonly of: WrappedKeyShape }): ReactNode {
  const session = useSession();
  const [deed, setDeed] = useState<Deed | null>(null);
  if (!mayChangeKey(session, of)) return null;
  const close = (): void => setDeed(null);
  return (
    <>
      <Button variant="default" onClick={() => setDeed('edit')}>
        Edit
      </Button>
      <Button variant="default" onClick={() => setDeed('replace')}>
        Replace provider key
      </Button>
      <Button variant="light" color="red" onClick={() => setDeed('revoke')}>
        Revoke
      </Button>
      {deed === 'edit' && <EditKeyDialog of={of} onClose={close} />}
      {deed === 'replace' && <ReplaceDialog of={of} onClose={close} />}
      {deed === 'revoke' && <RevokeDialog of={of} onClose={close} />}
    </>
  );
}
