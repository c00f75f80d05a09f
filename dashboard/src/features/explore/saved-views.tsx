import { Button, Menu } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { SavedViewShape } from '../../../../src/contract/saved-views.ts';
import { parseSearch } from '../../shared/filter/address.ts';
import { isolated } from '../../shared/format/isolated.ts';
import { useMay } from '../../shared/session/session.ts';
import { Dialog, FormDialog } from '../../shared/ui/dialog.tsx';
import { TextField } from '../../shared/ui/form-inputs.tsx';
import { Icon } from '../../shared/ui/icon.tsx';
import { PageLink } from '../../shared/ui/links.tsx';
import { ErrorNote } from '../../shared/ui/note.tsx';
import styles from './saved-views.module.css';
import { useRemoveView, useSavedViews, useSaveView } from './queries.ts';

type OpenDialog = 'save' | 'manage' | null;

/** Views that the workspace shares: each has a name and an address. */
export function SavedViews(): ReactNode {
  const { data: views = [] } = useSavedViews();
  const [dialog, setDialog] = useState<OpenDialog>(null);
  const mayWork = useMay('work');
  if (views.length === 0 && !mayWork) return null;
  return (
    <>
      <Menu position="bottom-end" shadow="md">
        <Menu.Target>
          <Button variant="default" rightSection={<Icon name="down" size={16} />}>
            Views
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {views.map((view) => (
            <Menu.Item key={view.id} component={PageLink} {...viewLink(view)}>
              {isolated(view.name)}
            </Menu.Item>
          ))}
          {views.length > 0 && mayWork && <Menu.Divider />}
          {mayWork && <Menu.Item onClick={() => setDialog('save')}>Save this view …</Menu.Item>}
          {mayWork && views.length > 0 && <Menu.Item onClick={() => setDialog('manage')}>Delete views …</Menu.Item>}
        </Menu.Dropdown>
      </Menu>
      {dialog === 'save' && <SaveDialog onClose={() => setDialog(null)} />}
      {dialog === 'manage' && <ManageDialog views={views} onClose={() => setDialog(null)} />}
    </>
  );
}

function viewLink({ address }: SavedViewShape) {
  const at = address.indexOf('?');
  const [to, search] = at === -1 ? [address, ''] : [address.slice(0, at), address.slice(at)];
  return { to, search: parseSearch(search) };
}

/** Saves the current address under a name. */
function SaveDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const save = useSaveView();
  return (
    <FormDialog
      title="Save view"
      actionLabel="Save view"
      busy={save.isPending}
      error={save.error}
      onClose={onClose}
      onSubmit={(fields) => {
        const { pathname, search } = window.location;
        save.mutate({ name: fields('name'), address: pathname + search }, { onSuccess: onClose });
      }}
    >
      <p>Everybody in the workspace can open it. A view with the same name is replaced.</p>
      <TextField name="name" label="Name" required maxLength={80} data-first />
    </FormDialog>
  );
}

interface ManageDialogProps {
  readonly views: readonly SavedViewShape[];
  readonly onClose: () => void;
}

function ManageDialog({ views, onClose }: ManageDialogProps): ReactNode {
  return (
    <Dialog title="Saved views" onClose={onClose}>
      <ul className={styles.list}>
        {views.map((view) => (
          <ViewRow key={view.id} view={view} />
        ))}
      </ul>
    </Dialog>
  );
}

function ViewRow({ view }: { readonly view: SavedViewShape }): ReactNode {
  const remove = useRemoveView(view);
  return (
    <li>
      <div className={styles.view}>
        <PageLink {...viewLink(view)}>{isolated(view.name)}</PageLink>
        <Button variant="light" color="red" size="xs" loading={remove.isPending} onClick={() => remove.mutate()}>
          Delete
        </Button>
      </div>
      {remove.error && <ErrorNote error={remove.error} />}
    </li>
  );
}
