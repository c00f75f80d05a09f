import { NativeSelect, TextInput, Textarea } from '@mantine/core';
import type { ReactNode } from 'react';
import type { KeyPolicyShape, PolicyShape } from '../../../../src/api/contract-limits.ts';
import { FormDialog } from '../../shared/parts/form-dialog.tsx';
import { More } from '../../shared/parts/more.tsx';
import { HoursFields } from './hours-fields.tsx';
import { requiredText } from './policy-words.ts';
import { readRules } from './read-rules.ts';
import { useSetPolicy } from './use-set-policy.ts';

interface PolicyDialogProps {
  readonly of: KeyPolicyShape;
  readonly onClose: () => void;
}

/** All rules of a key. An empty field allows what the provider allows. */
export function PolicyDialog({ of, onClose }: PolicyDialogProps): ReactNode {
  const set = useSetPolicy(of.keyId);
  return (
    <FormDialog
      title={`What ${of.keyName} may do`}
      deed="Save rules"
      busy={set.isPending}
      error={set.error}
      onClose={onClose}
      onSubmit={(fields) => set.mutate(readRules(fields), { onSuccess: onClose })}
    >
      <ModelFields policy={of.policy} />
      <TextInput
        name="outputTokensMax"
        label="Largest output of a call, in tokens"
        inputMode="numeric"
        pattern="[0-9]*"
        defaultValue={of.policy.outputTokensMax ?? ''}
      />
      <Textarea
        name="requireTags"
        label="Tags a call must carry"
        description="One in a line: user, or team=search,ads where only these values will do"
        autosize
        defaultValue={requiredText(of.policy.requireTags, '\n')}
      />
      <More title="From where, when, and how">
        <WayFields policy={of.policy} />
      </More>
    </FormDialog>
  );
}

interface FieldsProps {
  readonly policy: PolicyShape;
}

function ModelFields({ policy }: FieldsProps): ReactNode {
  return (
    <>
      <TextInput
        name="allowModels"
        label="Only these models"
        description="Names or patterns, * = any characters; empty = all"
        placeholder="claude-haiku-*, claude-sonnet-4-5"
        defaultValue={policy.allowModels?.join(', ')}
        autoFocus
      />
      <TextInput
        name="denyModels"
        label="Not these models"
        placeholder="*-opus-*"
        defaultValue={policy.denyModels.join(', ')}
      />
    </>
  );
}

function WayFields({ policy }: FieldsProps): ReactNode {
  return (
    <>
      <TextInput
        name="addresses"
        label="Only from these addresses"
        placeholder="10.0.0.0/8, 192.0.2.7"
        defaultValue={policy.addresses?.join(', ')}
      />
      <HoursFields hours={policy.activeHours} />
      <NativeSelect
        name="whenTooLarge"
        label="A call larger than what a limit has left"
        defaultValue={policy.whenTooLarge}
        data={[
          { value: 'refuse', label: 'is refused' },
          { value: 'clamp', label: 'gets a shorter output' },
        ]}
      />
      <TextInput
        name="presumeUsd"
        label="Work without a bound is presumed to cost, in dollars"
        description="Empty = it is refused under a limit that blocks"
        inputMode="decimal"
        defaultValue={policy.presumeUsd ?? ''}
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
        name="whenClientLeaves"
        label="When a client leaves"
        defaultValue={policy.whenClientLeaves}
        data={[
          { value: 'drain', label: 'the answer is read on for a while, to learn its cost' },
          { value: 'abort', label: 'the call is ended at once' },
        ]}
      />
      <TextInput
        name="geo"
        label="Where the provider key is bound to"
        placeholder="us"
        defaultValue={policy.geo ?? ''}
      />
      <TextInput
        name="tier"
        label="Service tier of its project"
        placeholder="priority"
        defaultValue={policy.tier ?? ''}
      />
      <TextInput
        name="bodyBytesMax"
        label="Largest request, in bytes"
        inputMode="numeric"
        pattern="[0-9]*"
        defaultValue={policy.bodyBytesMax ?? ''}
      />
    </>
  );
}
