import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { AlertShape } from '../../../../src/contract/usage.ts';
import { ErrorNote } from '../../shared/ui/trouble.tsx';
import { useMay } from '../../shared/session/session.ts';
import { MuteDialog } from './mute-dialog.tsx';
import { mutableType } from './mutable-type.ts';
import { useMarkRead } from './use-mark-read.ts';

export function AlertActions({ alert }: { readonly alert: AlertShape }): ReactNode {
  const mayMark = useMay('work');
  const mayMute = useMay('manage') && mutableType(alert.type) !== null;
  const mark = useMarkRead();
  const [muting, setMuting] = useState(false);
  if (mark.error) return <ErrorNote error={mark.error} />;
  return (
    <>
      {mayMark && !alert.read && (
        <Button loading={mark.isPending} onClick={() => mark.mutate([alert.id])}>
          Mark as read
        </Button>
      )}
      {mayMute && (
        <Button variant="default" onClick={() => setMuting(true)}>
          Mute
        </Button>
      )}
      {muting && <MuteDialog alert={alert} onClose={() => setMuting(false)} />}
    </>
  );
}
