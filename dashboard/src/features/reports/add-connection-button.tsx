import { Button, NativeSelect, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Icon } from '../../shared/theme/icon.tsx';
import { useProviders } from '../../shared/names/use-providers.ts';
import { FormDialog } from '../../shared/ui/form-dialog.tsx';
import { AdminKeyInput } from './admin-key-input.tsx';
import { useAddAdminKey } from './use-admin-keys.ts';

export function AddConnectionButton(): ReactNode {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setOpen(true)}>
        Connect an organization
      </Button>
      {open && <ConnectionDialog onClose={() => setOpen(false)} />}
    </>
  );
}

function ConnectionDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const add = useAddAdminKey();
  const providers = useProviders();
  const reporting = (providers.data ?? []).filter(({ hasReports }) => hasReports);
  return (
    <FormDialog
      title="Connect an organization"
      deed="Connect"
      busy={add.isPending}
      error={add.error}
      onClose={onClose}
      onSubmit={(fields) =>
        add.mutate(
          { provider: fields('provider'), name: fields('name'), adminKey: fields('adminKey') },
          { onSuccess: onClose },
        )
      }
    >
      <NativeSelect
        name="provider"
        label="Provider"
        data={reporting.map(({ id, name }) => ({ value: id, label: name }))}
      />
      <TextInput name="name" label="Name" description="For you, such as the organization’s" required />
      <AdminKeyInput />
    </FormDialog>
  );
}
