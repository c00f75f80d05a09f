import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Icon } from '../../shared/theme/icon.tsx';
import { SubscriptionDialog } from './subscription-dialog.tsx';

export function AddSubscriptionButton(): ReactNode {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setOpen(true)}>
        Add a subscription
      </Button>
      {open && <SubscriptionDialog onClose={() => setOpen(false)} />}
    </>
  );
}
