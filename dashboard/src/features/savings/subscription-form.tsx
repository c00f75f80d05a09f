import { Button, NativeSelect, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import type { PlanShape } from '../../../../src/api/contract-sync.ts';
import { Trouble } from '../../shared/parts/trouble.tsx';
import { readSubscription } from './read-subscription.ts';
import { useAddSubscription, usePlans } from './use-subscriptions.ts';

const OWN = '';

/** A known plan at list price, or any other with its name and price. */
export function SubscriptionForm({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { data: plans = [] } = usePlans();
  const [plan, setPlan] = useState<string | null>(null);
  const add = useAddSubscription();
  const chosen = plan ?? plans[0]?.plan ?? OWN;
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    add.mutate(readSubscription(new FormData(event.currentTarget)), { onSuccess: onClose });
  };
  return (
    <form className="stack" onSubmit={submit}>
      <NativeSelect
        name="plan"
        label="Plan"
        value={chosen}
        onChange={({ currentTarget }) => setPlan(currentTarget.value)}
        data={[...plans.map((each) => ({ value: each.plan, label: labelOf(each) })), { value: OWN, label: 'Another' }]}
        autoFocus
      />
      {chosen === OWN && <OwnPlan />}
      <TextInput
        name="monthlyCost"
        label="US dollars a month and seat"
        description={chosen === OWN ? undefined : 'Empty = its list price'}
        inputMode="decimal"
        required={chosen === OWN}
      />
      <TextInput name="seats" type="number" label="Seats" min={1} defaultValue="1" required />
      <TextInput name="startedAt" type="date" label="First day" description="Empty = today" />
      {add.error && <Trouble error={add.error} />}
      <div className="row">
        <Button type="submit" loading={add.isPending}>
          Add
        </Button>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

function OwnPlan(): ReactNode {
  return (
    <>
      <TextInput name="name" label="Name of the plan" required maxLength={100} />
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

function labelOf({ name, monthlyCost }: PlanShape): string {
  return `${name}, $${monthlyCost} a month`;
}
