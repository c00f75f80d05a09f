import { Button, Checkbox, PasswordInput, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { WrappedKeyShape } from '../../../../src/contract/usage.ts';
import { isolated } from '../../shared/format/isolated.ts';
import { readTags, writeTags } from '../../shared/format/tags-text.ts';
import { useWorkspace } from '../../shared/session/session.ts';
import { endOfDay, lastDayBefore } from '../../shared/time/local-day.ts';
import { ConfirmDialog, Dialog, FormDialog } from '../../shared/ui/dialog.tsx';
import { Note } from '../../shared/ui/note.tsx';
import { useEditKey, useReplaceProviderKey, useRevokeKey } from './queries.ts';

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

interface ReplaceDialogProps {
  readonly of: WrappedKeyShape;
  readonly onClose: () => void;
}

/** Another provider key behind the same wrapped key: programs notice nothing. */
export function ReplaceProviderKeyDialog({ of, onClose }: ReplaceDialogProps): ReactNode {
  const { usedBy } = of.providerKey;
  const replace = useReplaceProviderKey(of.id);
  if (replace.data?.warnings) return <ReplacedWithWarnings warnings={replace.data.warnings} onClose={onClose} />;
  return (
    <FormDialog
      title="Replace the provider key"
      deed="Replace"
      busy={replace.isPending}
      error={replace.error}
      onClose={onClose}
      onSubmit={(fields) =>
        replace.mutate(
          { providerKey: fields('providerKey'), force: fields('force') === 'yes' },
          { onSuccess: ({ warnings }) => warnings === undefined && onClose() },
        )
      }
    >
      <p>
        The wrapped key stays as it is, so that no program changes. Calls that begin after this go out with the new one.
      </p>
      {usedBy > 1 && <Note kind="warn">{usedBy} wrapped keys share this provider key: it is replaced for all.</Note>}
      <PasswordInput
        name="providerKey"
        label="The new provider key"
        autoComplete="off"
        spellCheck={false}
        visibilityToggleButtonProps={{ 'aria-label': 'Show what was pasted' }}
        required
      />
      {replace.error && <Checkbox name="force" value="yes" label="Keep it even if the provider refuses it" />}
    </FormDialog>
  );
}

interface WarnedProps {
  readonly warnings: readonly string[];
  readonly onClose: () => void;
}

function ReplacedWithWarnings({ warnings, onClose }: WarnedProps): ReactNode {
  return (
    <Dialog title="The provider key is replaced" onClose={onClose}>
      <div className="stack">
        {warnings.map((warning) => (
          <Note key={warning} kind="warn">
            {warning}
          </Note>
        ))}
        <div className="row">
          <Button onClick={onClose}>Close</Button>
        </div>
      </div>
    </Dialog>
  );
}

interface KeyDialogProps {
  readonly of: WrappedKeyShape;
  readonly onClose: () => void;
}

export function RevokeKeyDialog({ of, onClose }: KeyDialogProps): ReactNode {
  const revoke = useRevokeKey(of.id);
  return (
    <ConfirmDialog
      title={`Revoke ${isolated(of.name)}?`}
      deed="Revoke key"
      busy={revoke.isPending}
      error={revoke.error}
      onConfirm={() => revoke.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      Calls that begin after this are refused; it can’t be undone. Its calls stay in the book.
      {of.providerKey.usedBy > 1 && ' Wrapped keys that share its provider key go on.'}
    </ConfirmDialog>
  );
}
