import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Icon } from '../../shared/look/icon.tsx';
import { Dialog } from '../../shared/parts/dialog.tsx';
import { SubscriptionForm } from './subscription-form.tsx';

export function AddSubscriptionButton(): ReactNode {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setOpen(true)}>
        Add a subscription
      </Button>
      {open && (
        <Dialog title="Add a subscription" onClose={() => setOpen(false)}>
          <SubscriptionForm onClose={() => setOpen(false)} />
        </Dialog>
      )}
    </>
  );
}
