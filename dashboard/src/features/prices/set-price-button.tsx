import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Icon } from '../../shared/theme/icon.tsx';
import { PriceDialog } from './price-dialog.tsx';

export function SetPriceButton(): ReactNode {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setOpen(true)}>
        Set a price
      </Button>
      {open && <PriceDialog onClose={() => setOpen(false)} />}
    </>
  );
}
