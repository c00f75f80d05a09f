import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Icon } from '../../shared/look/icon.tsx';
import { Dialog } from '../../shared/parts/dialog.tsx';
import { PriceForm } from './price-form.tsx';

export function SetPriceButton(): ReactNode {
  const [open, setOpen] = useState(false);
  const close = (): void => setOpen(false);
  return (
    <>
      <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setOpen(true)}>
        Set a price
      </Button>
      {open && (
        <Dialog title="Set a price" onClose={close}>
          <PriceForm onClose={close} />
        </Dialog>
      )}
    </>
  );
}
