import { Checkbox, NativeSelect, Textarea, TextInput, type TextInputProps } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { KeyPolicyShape, PolicyShape } from '../../../../src/contract/limits.ts';
import { isolated } from '../../shared/format/isolated.ts';
import { useWorkspace } from '../../shared/session/session.ts';
import { FormDialog } from '../../shared/ui/dialog.tsx';
import { More } from '../../shared/ui/more.tsx';
import { readPolicy, requiredTagsText, WEEKDAYS } from './policy-rules.ts';
import { useSetPolicy } from './queries.ts';

interface PolicyDialogProps {
  readonly of: KeyPolicyShape;
  readonly onClose: () => void;
}

/** All rules of a key. An empty field allows what the provider allows. */
export function PolicyDialog({ of: shown, onClose }: PolicyDialogProps): ReactNode {
  // As they were when the dialog opened: the page behind it is read anew meanwhile.
  const [of] = useState(shown);
  const set = useSetPolicy(of.keyId);
  return (
    <FormDialog
      title={`What ${isolated(of.keyName)} may do`}
      deed="Save rules"
      busy={set.isPending}
      error={set.error}
      onClose={onClose}
      onSubmit={(fields) => set.mutate({ ...readPolicy(fields), seen: of.policy }, { onSuccess: onClose })}
    >
      <ModelRuleFields policy={of.policy} />
      <CountRuleField name="maxOutputTokens" label="Largest output of a call, in tokens" of={of.policy} />
      <Textarea
        name="requiredTags"
        label="Tags a call must carry"
        description="One in a line: user, or team=search,ads where only these values will do"
        autosize
        defaultValue={requiredTagsText(of.policy.requiredTags, '\n')}
      />
      <More title="From where, when, and how">
        <RestrictionFields policy={of.policy} />
      </More>
    </FormDialog>
  );
}

/** Times of the week at which a key may be used; without a begin and an end, always. */
function HoursFields({ hours }: { readonly hours: PolicyShape['activeHours'] }): ReactNode {
  const { timeZone } = useWorkspace();
  return (
    <fieldset className="plain stack">
      <legend>Only at these hours</legend>
      <div className="row">
        <TextInput name="from" label="From" placeholder="09:00" defaultValue={hours?.from} w="7rem" />
        <TextInput name="until" label="Until" placeholder="18:00" defaultValue={hours?.until} w="7rem" />
        <TextInput name="timeZone" label="Time zone" defaultValue={hours?.timeZone ?? timeZone} />
      </div>
      <div className="row">
        {WEEKDAYS.map((day) => (
          <Checkbox key={day} name={day} value="yes" label={day} defaultChecked={hours?.days.includes(day) ?? false} />
        ))}
      </div>
    </fieldset>
  );
}

type PolicyFieldsWith<Value> = {
  [Name in keyof PolicyShape]: PolicyShape[Name] extends Value ? Name : never;
}[keyof PolicyShape];

/** A text field that is called as the rule it shows. */
interface PolicyFieldProps<Value> extends TextInputProps {
  readonly name: PolicyFieldsWith<Value>;
  readonly of: Pick<PolicyShape, PolicyFieldsWith<Value>>;
}

function CountRuleField({ of, ...field }: PolicyFieldProps<number | null>): ReactNode {
  return <TextInput {...field} inputMode="numeric" pattern="[0-9]*" defaultValue={of[field.name] ?? ''} />;
}

function WordRuleField({ of, ...field }: PolicyFieldProps<string | null>): ReactNode {
  return <TextInput {...field} defaultValue={of[field.name] ?? ''} />;
}

function ListRuleField({ of, ...field }: PolicyFieldProps<readonly string[] | null>): ReactNode {
  return <TextInput {...field} defaultValue={of[field.name]?.join(', ')} />;
}

interface PolicyProps {
  readonly policy: PolicyShape;
}

function ModelRuleFields({ policy }: PolicyProps): ReactNode {
  return (
    <>
      <ListRuleField
        name="allowedModels"
        label="Only these models"
        description="Names or patterns, * = any characters; empty = all"
        placeholder="claude-haiku-*, claude-sonnet-4-5"
        of={policy}
      />
      <ListRuleField name="deniedModels" label="Not these models" placeholder="*-opus-*" of={policy} />
    </>
  );
}

function RestrictionFields({ policy }: PolicyProps): ReactNode {
  return (
    <>
      <ListRuleField
        name="addresses"
        label="Only from these addresses"
        placeholder="10.0.0.0/8, 192.0.2.7"
        of={policy}
      />
      <HoursFields hours={policy.activeHours} />
      <NativeSelect
        name="whenOverLimit"
        label="A call larger than what a limit has left"
        defaultValue={policy.whenOverLimit}
        data={[
          { value: 'refuse', label: 'is refused' },
          { value: 'clamp', label: 'gets a shorter output' },
        ]}
      />
      <TextInput
        name="assumedCostUsd"
        label="Work without a bound is presumed to cost, in dollars"
        description="Empty = it is refused under a limit that blocks"
        inputMode="decimal"
        defaultValue={policy.assumedCostUsd ?? ''}
      />
      <NativeSelect
        name="unpriced"
        label="Models without a price, under a limit in dollars"
        defaultValue={policy.unpriced}
        data={[
          { value: 'refuse', label: 'are refused' },
          { value: 'allow', label: 'pass uncounted' },
        ]}
      />
      <NativeSelect
        name="onDisconnect"
        label="When a client leaves"
        defaultValue={policy.onDisconnect}
        data={[
          { value: 'drain', label: 'the answer is read on for a while, to learn its cost' },
          { value: 'abort', label: 'the call is ended at once' },
        ]}
      />
      <WordRuleField name="geo" label="Where the provider key is bound to" placeholder="us" of={policy} />
      <WordRuleField name="tier" label="Service tier of its project" placeholder="priority" of={policy} />
      <CountRuleField name="bodyBytesMax" label="Largest request, in bytes" of={policy} />
    </>
  );
}
