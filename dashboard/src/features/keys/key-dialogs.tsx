import { Button, Checkbox } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { WrappedKeyShape } from '../../../../src/contract/keys.ts';
import { isolated } from '../../shared/format/isolated.ts';
import { readTags, writeTags } from '../../shared/format/tags-text.ts';
import { useWorkspace } from '../../shared/session/session.ts';
import { endOfDay, lastDayBefore } from '../../shared/time/local-day.ts';
import { ConfirmDialog, Dialog, FormDialog } from '../../shared/ui/dialog.tsx';
import { Note } from '../../shared/ui/note.tsx';
import { useEditKey, useReplaceProviderKey, useRevokeKey } from './queries.ts';
import { DateField } from '../../shared/ui/date-field.tsx';
import { PasswordField, TextField } from '../../shared/ui/form-inputs.tsx';

interface EditKeyDialogProps {
  readonly of: WrappedKeyShape;
  readonly onClose: () => void;
}

/** Edits name, tags and expiry. The key itself stays the same. */
export function EditKeyDialog({ of: shown, onClose }: EditKeyDialogProps): ReactNode {
  // Keep the values from when the dialog opened: the page behind it refreshes.
  const [of] = useState(shown);
  const { timeZone } = useWorkspace();
  const edit = useEditKey(of);
  const shownDay = of.expiresAt === null ? '' : lastDayBefore(of.expiresAt, timeZone);
  return (
    <FormDialog
      title={`Edit ${isolated(of.name)}`}
      actionLabel="Save changes"
      busy={edit.isPending}
      error={edit.error}
      onClose={onClose}
      onSubmit={(fields) => {
        const lastDay = fields('lastDay');
        const change = {
          name: fields('name'),
          tags: readTags(fields('tags')),
          // Keep an expiry at a time of day that was set through the API.
          ...(lastDay !== shownDay && { expiresAt: lastDay === '' ? null : endOfDay(lastDay, timeZone) }),
        };
        edit.mutate(change, { onSuccess: onClose });
      }}
    >
      <TextField name="name" label="Name" defaultValue={of.name} required />
      <TextField
        name="tags"
        label="Tags"
        description="For example team=search, env=production. Recorded calls keep their tags."
        defaultValue={writeTags(of.tags)}
      />
      <DateField
        name="lastDay"
        label="Expires"
        description={`End of this day in ${timeZone}. Leave empty for no expiry.`}
        defaultValue={shownDay}
      />
    </FormDialog>
  );
}

interface ReplaceDialogProps {
  readonly of: WrappedKeyShape;
  readonly onClose: () => void;
}

/** Replaces the provider key behind a wrapped key. Programs keep working unchanged. */
export function ReplaceProviderKeyDialog({ of: shown, onClose }: ReplaceDialogProps): ReactNode {
  // Keep the values from when the dialog opened: the page behind it refreshes.
  const [of] = useState(shown);
  const usedBy = of.providerKey?.usedBy ?? 0;
  const replace = useReplaceProviderKey(of);
  if (replace.data?.warnings) return <ReplacedWithWarnings warnings={replace.data.warnings} onClose={onClose} />;
  return (
    <FormDialog
      title="Replace provider key"
      actionLabel="Replace key"
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
      <p>The wrapped key stays the same, so no program has to change. New calls use the new provider key.</p>
      {usedBy > 1 && (
        <Note kind="warn">{usedBy} wrapped keys share this provider key. It is replaced for all of them.</Note>
      )}
      <PasswordField
        name="providerKey"
        label="New provider key"
        autoComplete="off"
        spellCheck={false}
        visibilityToggleButtonProps={{ 'aria-label': 'Show key' }}
        required
      />
      {replace.error && <Checkbox name="force" value="yes" label="Save it even if the provider rejects it" />}
    </FormDialog>
  );
}

interface WarnedProps {
  readonly warnings: readonly string[];
  readonly onClose: () => void;
}

function ReplacedWithWarnings({ warnings, onClose }: WarnedProps): ReactNode {
  return (
    <Dialog title="Provider key replaced" onClose={onClose}>
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
      actionLabel="Revoke key"
      busy={revoke.isPending}
      error={revoke.error}
      onConfirm={() => revoke.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      New calls with this key are refused. This cannot be undone. Its recorded calls are kept.
      {of.providerKey !== null &&
        of.providerKey.usedBy > 1 &&
        ' Other wrapped keys with the same provider key keep working.'}
    </ConfirmDialog>
  );
}
