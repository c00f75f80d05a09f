import { NativeSelect, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { PlanShape } from '../../../../src/contract/sync.ts';
import { FormDialog } from '../../shared/ui/form-dialog.tsx';
import { readSubscription } from './read-subscription.ts';
import { useAddSubscription, usePlans } from './use-subscriptions.ts';

const OTHER_PLAN = '';

/** A known plan at list price, or any other with its name and price. */
export function SubscriptionDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { data: plans = [] } = usePlans();
  const [plan, setPlan] = useState<string | null>(null);
  const add = useAddSubscription();
  const chosen = plan ?? plans[0]?.plan ?? OTHER_PLAN;
  return (
    <FormDialog
      title="Add a subscription"
      deed="Add"
      busy={add.isPending}
      error={add.error}
      onClose={onClose}
      onSubmit={(fields) => add.mutate(readSubscription(fields), { onSuccess: onClose })}
    >
      <NativeSelect
        name="plan"
        label="Plan"
        value={chosen}
        onChange={({ currentTarget }) => setPlan(currentTarget.value)}
        data={[
          ...plans.map((each) => ({ value: each.plan, label: planLabel(each) })),
          { value: OTHER_PLAN, label: 'Another' },
        ]}
      />
      {chosen === OTHER_PLAN && <OtherPlanFields />}
      <TextInput
        name="monthlyCost"
        label="US dollars a month and seat"
        description={chosen === OTHER_PLAN ? undefined : 'Empty = its list price'}
        inputMode="decimal"
        required={chosen === OTHER_PLAN}
      />
      <TextInput name="seats" type="number" label="Seats" min={1} defaultValue="1" required />
      <TextInput name="startedAt" type="date" label="First day" description="Empty = today" />
    </FormDialog>
  );
}

function OtherPlanFields(): ReactNode {
  return (
    <>
      <TextInput name="name" label="Name of the plan" required />
      <NativeSelect
        name="provider"
        label="Covers"
        data={[
          { value: 'anthropic', label: 'Claude Code sessions' },
          { value: 'openai', label: 'Codex sessions' },
        ]}
      />
    </>
  );
}

function planLabel({ name, monthlyCost }: PlanShape): string {
  return `${name}, $${monthlyCost} a month`;
}
