import { TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { WrappedKeyShape } from '../../../../src/contract/usage.ts';
import { readTags, writeTags } from '../../shared/format/tags-text.ts';
import { FormDialog } from '../../shared/ui/form-dialog.tsx';
import { useWorkspace } from '../../shared/session/session.ts';
import { endOfDay, lastDayBefore } from '../../shared/time/end-of-day.ts';
import { useEditKey } from './use-edit-key.ts';
import { isolated } from '../../shared/format/isolated.ts';

interface EditKeyDialogProps {
  readonly of: WrappedKeyShape;
  readonly onClose: () => void;
}

/** Name, tags and expiry: all that a key is called by. Its text stays. */
export function EditKeyDialog({ of: shown, onClose }: EditKeyDialogProps): ReactNode {
  // As it was when the dialog opened: the page behind it is read anew meanwhile.
  const [of] = useState(shown);
  const { timeZone } = useWorkspace();
  const edit = useEditKey(of.id);
  const shownDay = of.expiresAt === null ? '' : lastDayBefore(of.expiresAt, timeZone);
  return (
    <FormDialog
      title={`Edit ${isolated(of.name)}`}
      deed="Save"
      busy={edit.isPending}
      error={edit.error}
      onClose={onClose}
      onSubmit={(fields) => {
        const lastDay = fields('lastDay');
        const change = {
          seen: { name: of.name, tags: of.tags, expiresAt: of.expiresAt },
          name: fields('name'),
          tags: readTags(fields('tags')),
          // An expiry within a day, set elsewhere, stays as exact as it is.
          ...(lastDay !== shownDay && { expiresAt: lastDay === '' ? null : endOfDay(lastDay, timeZone) }),
        };
        edit.mutate(change, { onSuccess: onClose });
      }}
    >
      <TextInput name="name" label="Name" defaultValue={of.name} required />
      <TextInput
        name="tags"
        label="Tags"
        description="As team=search, env=production; calls that were booked keep theirs"
        defaultValue={writeTags(of.tags)}
      />
      <TextInput
        name="lastDay"
        type="date"
        label="Last day it works"
        description={`Days of ${timeZone}; empty = it works until it is revoked`}
        defaultValue={shownDay}
      />
    </FormDialog>
  );
}
