import { Button, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import type { EntryDetail } from '../../../../src/api/contract.ts';
import { Dialog } from '../../shared/parts/dialog.tsx';
import { Trouble } from '../../shared/parts/trouble.tsx';
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
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const cost = new FormData(event.currentTarget).get('cost');
    resolve.mutate(typeof cost === 'string' ? cost : '', { onSuccess: onClose });
  };
  return (
    <Dialog title="What it cost" onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <TextInput
          name="cost"
          label="US dollars"
          description="As the provider’s bill says it; 0 = it was not charged. Reports and limits count that from now on."
          inputMode="decimal"
          required
          autoFocus
        />
        {resolve.error && <Trouble error={resolve.error} />}
        <div className="row">
          <Button type="submit" loading={resolve.isPending}>
            Set
          </Button>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
