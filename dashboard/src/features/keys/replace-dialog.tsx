import { Button, Checkbox, PasswordInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { WrappedKeyShape } from '../../../../src/contract/usage.ts';
import { Dialog } from '../../shared/ui/dialog.tsx';
import { FormDialog } from '../../shared/ui/form-dialog.tsx';
import { Note } from '../../shared/ui/note.tsx';
import { useReplaceProviderKey } from './use-replace-provider-key.ts';

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
