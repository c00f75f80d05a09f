import { Checkbox, NativeSelect, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { AlertShape } from '../../../../src/contract/usage.ts';
import { FormDialog } from '../../shared/ui/form-dialog.tsx';
import { useKeyNames } from '../../shared/names/use-key-names.ts';
import { ALERT_TYPE_NAMES } from '../../shared/names/alert-types.ts';
import { mutableType } from './mutable-type.ts';
import { useCreateMute } from './use-create-mute.ts';
import { isolated } from '../../shared/format/isolated.ts';

interface MuteDialogProps {
  readonly alert: AlertShape;
  readonly onClose: () => void;
}

const MUTE_SPANS = [
  { value: '1', label: 'a day' },
  { value: '7', label: 'a week' },
  { value: '30', label: '30 days' },
  { value: '', label: 'good, until somebody removes it' },
];

/** Be told no more of something like this alert: what is muted is neither kept nor sent. */
export function MuteDialog({ alert, onClose }: MuteDialogProps): ReactNode {
  const create = useCreateMute();
  const keyNames = useKeyNames();
  const scope = Object.entries(alert.scope);
  return (
    <FormDialog
      title="Mute alerts like this one"
      deed="Mute"
      busy={create.isPending}
      error={create.error}
      onClose={onClose}
      onSubmit={(fields) => {
        const days = fields('days');
        create.mutate(
          {
            type: mutableType(alert.type),
            scope: Object.fromEntries(scope.filter(([name]) => fields(`scope ${name}`) === 'yes')),
            days: days === '' ? null : Number(days),
            reason: fields('reason'),
          },
          { onSuccess: onClose },
        );
      }}
    >
      <p>
        Alerts of the type “{ALERT_TYPE_NAMES[alert.type]}” are then neither kept nor sent
        {scope.length > 0 && ', where all of this holds:'}
        {scope.length === 0 && ', whatever they are about.'}
      </p>
      {scope.map(([name, of]) => (
        <Checkbox
          key={name}
          name={`scope ${name}`}
          value="yes"
          defaultChecked
          label={`${name.replace(/^tag:/, 'tag ')}: ${isolated(keyNames.get(of) ?? of)}`}
        />
      ))}
      <NativeSelect name="days" label="For" defaultValue="7" data={MUTE_SPANS} />
      <TextInput name="reason" label="Why" description="For whoever wonders later" required data-first />
    </FormDialog>
  );
}
