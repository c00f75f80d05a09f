import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { LimitStanding } from '../../../../src/api/contract-limits.ts';
import { ButtonLink } from '../../shared/look/button-link.tsx';
import { useMay } from '../../shared/session/session.ts';
import { RaiseDialog } from './raise-dialog.tsx';
import { RemoveLimitDialog } from './remove-limit-dialog.tsx';
import { useEndRaise } from './use-end-raise.ts';

export function LimitActions({ limit }: { readonly limit: LimitStanding }): ReactNode {
  const mayChange = useMay('manage');
  const [deed, setDeed] = useState<'raise' | 'remove' | null>(null);
  const endRaise = useEndRaise(limit.id);
  if (!mayChange) return null;
  const close = (): void => setDeed(null);
  return (
    <>
      <ButtonLink to={`/limits/${limit.id}/edit`} variant="default">
        Edit
      </ButtonLink>
      {limit.raise && limit.raise.amount > limit.amount && (
        <Button variant="default" loading={endRaise.isPending} onClick={() => endRaise.mutate()}>
          End the raise
        </Button>
      )}
      <Button variant="default" onClick={() => setDeed('raise')}>
        Raise for a while
      </Button>
      <Button variant="light" color="red" onClick={() => setDeed('remove')}>
        Remove
      </Button>
      {deed === 'raise' && <RaiseDialog limit={limit} onClose={close} />}
      {deed === 'remove' && <RemoveLimitDialog limit={limit} onClose={close} />}
    </>
  );
}
