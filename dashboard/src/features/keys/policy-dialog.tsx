import { Checkbox, type TextInputProps } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { KeyPolicyShape, PolicyShape } from '../../../../src/contract/limits.ts';
import { isolated } from '../../shared/format/isolated.ts';
import { useWorkspace } from '../../shared/session/session.ts';
import { FormDialog } from '../../shared/ui/dialog.tsx';
import { More } from '../../shared/ui/more.tsx';
import { ContextRuleFields } from './context-rule-fields.tsx';
import { readPolicy, requiredTagsText, WEEKDAYS } from './policy-rules.ts';
import { useSetPolicy } from './queries.ts';
import { SelectField, TextField, TextareaField } from '../../shared/ui/form-inputs.tsx';

interface PolicyDialogProps {
  readonly of: KeyPolicyShape;
  readonly onClose: () => void;
}

/** Edits the policy of a key. An empty field means no restriction. */
export function PolicyDialog({ of: shown, onClose }: PolicyDialogProps): ReactNode {
  // Keep the values from when the dialog opened: the page behind it refreshes.
  const [of] = useState(shown);
  const set = useSetPolicy(of);
  return (
    <FormDialog
      title={`Policy of ${isolated(of.keyName)}`}
      actionLabel="Save policy"
      busy={set.isPending}
      error={set.error}
      onClose={onClose}
      onSubmit={(fields) => set.mutate(readPolicy(fields), { onSuccess: onClose })}
    >
      <ModelRuleFields policy={of.policy} />
      <CountRuleField name="maxOutputTokens" label="Maximum output tokens per call" of={of.policy} />
      <TextareaField
        name="requiredTags"
        label="Required tags"
        description="One per line. “user” requires any value, “team=search,ads” requires one of these values."
        autosize
        defaultValue={requiredTagsText(of.policy.requiredTags, '\n')}
      />
      <ContextRuleFields {...of.policy} />
      <More title="Advanced">
        <RestrictionFields policy={of.policy} />
      </More>
    </FormDialog>
  );
}

const WEEKDAY_NAMES = {
  mon: 'Monday',
  tue: 'Tuesday',
  wed: 'Wednesday',
  thu: 'Thursday',
  fri: 'Friday',
  sat: 'Saturday',
  sun: 'Sunday',
} as const;

/** Hours of the week during which a key works; empty = always. */
function HoursFields({ hours }: { readonly hours: PolicyShape['activeHours'] }): ReactNode {
  const { timeZone } = useWorkspace();
  return (
    <fieldset className="plain stack">
      <legend>Allowed hours</legend>
      <div className="row row-fields">
        <TextField name="from" label="From" placeholder="09:00" defaultValue={hours?.from} w="7rem" />
        <TextField name="until" label="Until" placeholder="18:00" defaultValue={hours?.until} w="7rem" />
        <TextField name="timeZone" label="Time zone" defaultValue={hours?.timeZone ?? timeZone} />
      </div>
      <div className="row">
        {WEEKDAYS.map((day) => (
          <Checkbox
            key={day}
            name={day}
            value="yes"
            label={WEEKDAY_NAMES[day]}
            defaultChecked={hours?.days.includes(day) ?? false}
          />
        ))}
      </div>
    </fieldset>
  );
}

type PolicyFieldsWith<Value> = {
  [Name in keyof PolicyShape]: PolicyShape[Name] extends Value ? Name : never;
}[keyof PolicyShape];

/** A text field with the name of the rule that it edits. */
interface PolicyFieldProps<Value> extends TextInputProps {
  readonly name: PolicyFieldsWith<Value>;
  readonly of: Pick<PolicyShape, PolicyFieldsWith<Value>>;
}

function CountRuleField({ of, ...field }: PolicyFieldProps<number | null>): ReactNode {
  return <TextField {...field} inputMode="numeric" pattern="[0-9]*" defaultValue={of[field.name] ?? ''} />;
}

function WordRuleField({ of, ...field }: PolicyFieldProps<string | null>): ReactNode {
  return <TextField {...field} defaultValue={of[field.name] ?? ''} />;
}

function ListRuleField({ of, ...field }: PolicyFieldProps<readonly string[] | null>): ReactNode {
  return <TextField {...field} defaultValue={of[field.name]?.join(', ')} />;
}

interface PolicyProps {
  readonly policy: PolicyShape;
}

function ModelRuleFields({ policy }: PolicyProps): ReactNode {
  return (
    <>
      <ListRuleField
        name="allowedModels"
        label="Allowed models"
        description="Names or patterns; * matches any characters. Leave empty for all models."
        placeholder="claude-haiku-*, claude-sonnet-4-5"
        of={policy}
      />
      <ListRuleField name="deniedModels" label="Denied models" placeholder="*-opus-*" of={policy} />
    </>
  );
}

function RestrictionFields({ policy }: PolicyProps): ReactNode {
  return (
    <>
      <ListRuleField
        name="allowedAddresses"
        label="Allowed addresses"
        placeholder="10.0.0.0/8, 192.0.2.7"
        of={policy}
      />
      <HoursFields hours={policy.activeHours} />
      <SelectField
        name="whenOverLimit"
        label="Calls that would exceed a limit"
        defaultValue={policy.whenOverLimit}
        data={[
          { value: 'shorten', label: 'Shorten to fit' },
          { value: 'refuse', label: 'Refuse' },
        ]}
      />
      <CountRuleField
        name="minOutputTokens"
        label="Minimum output of shortened calls, in tokens"
        description="Calls for which fewer tokens fit are refused."
        of={policy}
      />
      <TextField
        name="assumedCostUsd"
        label="Assumed cost of calls without a maximum"
        description="In dollars. Leave empty to refuse these calls under limits that block."
        inputMode="decimal"
        defaultValue={policy.assumedCostUsd ?? ''}
      />
      <SelectField
        name="unpricedModels"
        label="Models without a price under dollar limits"
        defaultValue={policy.unpricedModels}
        data={[
          { value: 'refuse', label: 'Refuse' },
          { value: 'allow', label: 'Allow without counting' },
        ]}
      />
      <SelectField
        name="onDisconnect"
        label="When the client disconnects"
        defaultValue={policy.onDisconnect}
        data={[
          { value: 'drain', label: 'Read on briefly to learn the cost' },
          { value: 'abort', label: 'Cancel the call immediately' },
        ]}
      />
      <WordRuleField name="geo" label="Region of the provider key" placeholder="us" of={policy} />
      <WordRuleField name="tier" label="Service tier of the provider key" placeholder="priority" of={policy} />
      <CountRuleField name="maxBodyBytes" label="Maximum request size, in bytes" of={policy} />
    </>
  );
}
