import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { More } from '../../shared/ui/more.tsx';
import { useMay, useWorkspace } from '../../shared/session/session.ts';

/** What a key may have besides: all of it can be set later too. */
export function NewKeyExtras(): ReactNode {
  const { timeZone } = useWorkspace();
  const maySetRules = useMay('manage');
  return (
    <More title={maySetRules ? 'Tags, expiry and rules (optional)' : 'Tags and expiry (optional)'}>
      <TextInput
        name="tags"
        label="Tags"
        description="On every call of this key, and no client can change them"
        placeholder="team=search, env=production"
      />
      <TextInput
        name="lastDay"
        type="date"
        label="Last day it works"
        description={`Days of ${timeZone}; empty = it works until it is revoked`}
      />
      {maySetRules && <RuleFields />}
    </More>
  );
}

function RuleFields(): ReactNode {
  return (
    <>
      <TextInput
        name="allowModels"
        label="Only these models"
        description="* stands for any characters; empty = all models of the provider"
        placeholder="claude-haiku-*, claude-sonnet-4-5"
      />
      <TextInput
        name="outputTokensMax"
        inputMode="numeric"
        pattern="[0-9]*"
        label="Largest output of a call"
        description="In tokens; empty = what the model allows. More rules are on the page of the key."
      />
    </>
  );
}
