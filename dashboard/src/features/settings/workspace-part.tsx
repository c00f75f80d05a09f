import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { WorkspaceShape } from '../../../../src/contract/workspaces.ts';
import { useMay } from '../../shared/session/session.ts';
import { Card } from '../../shared/ui/card.tsx';
import { Facts } from '../../shared/ui/facts.tsx';
import type { FormFields } from '../../shared/ui/fields.ts';
import { Form, FormError } from '../../shared/ui/form.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { Note } from '../../shared/ui/note.tsx';
import { useOwnWorkspace, useRenewAccount, useUpdateWorkspace } from './queries.ts';
import { SelectField, TextField } from '../../shared/ui/form-inputs.tsx';
import { FieldsPlaceholder } from '../../shared/ui/placeholders.tsx';

/** Name, time zone and retention of the workspace. */
export function WorkspacePart(): ReactNode {
  const mayChange = useMay('manage');
  return (
    <Card title="Workspace">
      <Loaded of={useOwnWorkspace()} placeholder={<FieldsPlaceholder rows={3} />}>
        {(workspaces) =>
          workspaces.map((each) =>
            mayChange ? <WorkspaceForm key={each.id} workspace={each} /> : <WorkspaceFacts key={each.id} of={each} />,
          )
        }
      </Loaded>
    </Card>
  );
}

function WorkspaceFacts({ of }: { readonly of: WorkspaceShape }): ReactNode {
  return (
    <Facts
      of={[
        ['Name', of.name],
        ['Time zone', of.timeZone],
        ['Retention of calls', `${of.retentionDays} days`],
      ]}
    />
  );
}

function WorkspaceForm({ workspace }: { readonly workspace: WorkspaceShape }): ReactNode {
  // Keep the shown values until the form is saved: the page refreshes.
  const [saved, setSaved] = useState(workspace);
  const update = useUpdateWorkspace(saved);
  const renewAccount = useRenewAccount();
  const save = (fields: FormFields): void => {
    const change = {
      name: fields('name'),
      timeZone: fields('timeZone'),
      retentionDays: Number(fields('retentionDays')),
    };
    update.mutate(change, {
      onSuccess(changed) {
        setSaved(changed);
        renewAccount();
      },
    });
  };
  return (
    <Form className="stack form" error={update.error} onSubmit={save}>
      <TextField name="name" label="Name" defaultValue={workspace.name} required />
      <SelectField
        name="timeZone"
        label="Time zone"
        description="Decides when a day, week or month begins. Current windows of limits keep their end."
        defaultValue={workspace.timeZone}
        data={listTimeZones(workspace.timeZone)}
      />
      <TextField
        name="retentionDays"
        type="number"
        label="Retention of calls, in days"
        description="Totals are kept forever"
        min={1}
        defaultValue={String(workspace.retentionDays)}
        required
      />
      <FormError />
      {update.isSuccess && <Note kind="info">Saved.</Note>}
      <div className="row">
        <Button type="submit" loading={update.isPending}>
          {' '}
          Save changes{' '}
        </Button>
      </div>
    </Form>
  );
}

/** Lists time zones, including UTC and the current one, which the browser's list may lack. */
function listTimeZones(zone: string): string[] {
  return [...new Set(['UTC', zone, ...Intl.supportedValuesOf('timeZone')])];
}
