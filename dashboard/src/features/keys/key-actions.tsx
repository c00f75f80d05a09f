import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { WrappedKeyShape } from '../../../../src/contract/usage.ts';
import { useSession } from '../../shared/session/session.ts';
import { EditKeyDialog } from './edit-key-dialog.tsx';
import { mayChangeKey } from './may-change-key.ts';
import { ReplaceProviderKeyDialog } from './replace-dialog.tsx';
import { RevokeKeyDialog } from './revoke-dialog.tsx';

type OpenKeyDialog = 'edit' | 'replace' | 'revoke';

/** What can be done with a key by whoever looks at it. */
export function KeyActions({ of }: { readonly of: WrappedKeyShape }): ReactNode {
  const session = useSession();
  const [deed, setDeed] = useState<OpenKeyDialog | null>(null);
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
      {deed === 'replace' && <ReplaceProviderKeyDialog of={of} onClose={close} />}
      {deed === 'revoke' && <RevokeKeyDialog of={of} onClose={close} />}
    </>
  );
}
