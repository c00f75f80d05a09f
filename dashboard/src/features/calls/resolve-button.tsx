import { Button, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { EntryDetail } from '../../../../src/contract/usage.ts';
import { FormDialog } from '../../shared/ui/form-dialog.tsx';
import { useResolveCall } from './use-resolve-call.ts';

interface ResolveProps {
  readonly call: EntryDetail;
}

/** For who has seen the bill: what a call of uncertain cost has really cost. */
export function ResolveButton({ call }: ResolveProps): ReactNode {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setOpen(true)}>
        Say what it cost
      </Button>
      {open && <ResolveDialog call={call} onClose={() => setOpen(false)} />}
    </>
  );
}

function ResolveDialog({ call, onClose }: ResolveProps & { readonly onClose: () => void }): ReactNode {
  const resolve = useResolveCall(call.id);
  return (
    <FormDialog
      title="What it cost"
      deed="Set"
      busy={resolve.isPending}
      error={resolve.error}
      onSubmit={(fields) => resolve.mutate(fields('cost'), { onSuccess: onClose })}
      onClose={onClose}
    >
      <TextInput
        name="cost"
        label="US dollars"
        description="As the provider’s bill says it; 0 = it was not charged. Reports and limits count that from now on."
        inputMode="decimal"
        required
      />
    </FormDialog>
  );
}
