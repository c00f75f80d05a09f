import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { LimitStanding } from '../../../../src/contract/limits.ts';
import { ButtonLink } from '../../shared/theme/button-link.tsx';
import { useMay } from '../../shared/session/session.ts';
import { EndRaiseButton } from './end-raise-button.tsx';
import { RaiseLimitDialog } from './raise-dialog.tsx';
import { RemoveLimitDialog } from './remove-limit-dialog.tsx';

export function LimitActions({ limit }: { readonly limit: LimitStanding }): ReactNode {
  const mayChange = useMay('manage');
  const [deed, setDeed] = useState<'raise' | 'remove' | null>(null);
  if (!mayChange) return null;
  const close = (): void => setDeed(null);
  return (
    <>
      <ButtonLink to={`/limits/${limit.id}/edit`} variant="default">
        Edit
      </ButtonLink>
      <EndRaiseButton limit={limit} />
      <Button variant="default" onClick={() => setDeed('raise')}>
        Raise for a while
      </Button>
      <Button variant="light" color="red" onClick={() => setDeed('remove')}>
        Remove
      </Button>
      {deed === 'raise' && <RaiseLimitDialog limit={limit} onClose={close} />}
      {deed === 'remove' && <RemoveLimitDialog limit={limit} onClose={close} />}
    </>
  );
}
