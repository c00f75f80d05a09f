import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import type { LimitShape } from '../../../../src/contract/limits.ts';
import { Dialog } from '../../shared/ui/dialog.tsx';
import { ErrorNote } from '../../shared/ui/trouble.tsx';
import { useEndRaise } from './use-end-raise.ts';

export function EndRaiseButton({ limit }: { readonly limit: LimitShape }): ReactNode {
  const end = useEndRaise(limit);
  return (
    <>
      {limit.raise && limit.raise.amount > limit.amount && (
        <Button variant="default" loading={end.isPending} onClick={() => end.mutate()}>
          End the raise
        </Button>
      )}
      {end.error && (
        <Dialog title="The raise was not ended" onClose={end.reset}>
          <ErrorNote error={end.error} />
        </Dialog>
      )}
    </>
  );
}
