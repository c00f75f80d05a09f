import { Button, NativeSelect, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { PlanShape, SubscriptionShape } from '../../../../src/contract/sync.ts';
import { isolated } from '../../shared/format/isolated.ts';
import { formatDay } from '../../shared/format/time.ts';
import { useMay } from '../../shared/session/session.ts';
import { CopyBlock } from '../../shared/ui/copy-block.tsx';
import { DataTable, RowButton, type TableColumn } from '../../shared/ui/data-table.tsx';
import { ConfirmDialog, FormDialog } from '../../shared/ui/dialog.tsx';
import { EmptyState } from '../../shared/ui/empty-state.tsx';
import { Icon } from '../../shared/ui/icon.tsx';
import { Money, StateBadge } from '../../shared/ui/values.tsx';
import { useAddSubscription, useEndSubscription, usePlans } from './queries.ts';
import { readSubscription } from './read-subscription.ts';

interface SubscriptionTableProps {
  readonly subscriptions: readonly SubscriptionShape[];
}

export function SubscriptionTable({ subscriptions }: SubscriptionTableProps): ReactNode {
  const mayChange = useMay('manage');
  return (
    <DataTable
      name="Subscriptions"
      columns={mayChange ? [...subscriptionColumns, endColumn] : subscriptionColumns}
      rows={subscriptions}
      rowKey={({ id }) => id}
    />
  );
}

const subscriptionColumns: readonly TableColumn<SubscriptionShape>[] = [
  {
    id: 'name',
    name: 'Name',
    sortBy: ({ name }) => name,
    cell: (subscription) => (
      <>
        {subscription.name}
        <span className="soft beneath narrow">
          from {formatDay(subscription.startedAt, 'UTC')}, {subscriptionState(subscription)}
        </span>
      </>
    ),
  },
  { id: 'provider', name: 'Provider', wideOnly: true, cell: ({ provider }) => provider },
  {
    id: 'cost',
    name: 'A month',
    figures: true,
    sortBy: ({ monthlyCost, seats }) => monthlyCost * seats,
    cell: ({ monthlyCost, seats }) => (
      <>
        {seats > 1 && `${seats} × `}
        <Money usd={monthlyCost} />
      </>
    ),
  },
  {
    id: 'tokens',
    name: 'Covers',
    wideOnly: true,
    cell: ({ tokens, provider }) =>
      tokens.length === 0 ? `all ${provider} sessions` : `${tokens.length} access tokens`,
  },
  {
    id: 'from',
    name: 'From',
    wideOnly: true,
    sortBy: ({ startedAt }) => startedAt,
    cell: ({ startedAt }) => formatDay(startedAt, 'UTC'),
  },
  {
    id: 'state',
    name: 'State',
    wideOnly: true,
    cell: (subscription) => (
      <StateBadge color={subscription.active ? 'teal' : 'gray'}>{subscriptionState(subscription)}</StateBadge>
    ),
  },
];

function subscriptionState({ active, endedAt }: SubscriptionShape): string {
  if (endedAt !== null) return `until ${formatDay(endedAt, 'UTC')}`;
  return active ? 'active' : 'not yet';
}

const endColumn: TableColumn<SubscriptionShape> = {
  id: 'end',
  name: '',
  cell: (subscription) => subscription.endedAt === null && <EndSubscriptionButton subscription={subscription} />,
};

function EndSubscriptionButton({ subscription }: { readonly subscription: SubscriptionShape }): ReactNode {
  const [open, setOpen] = useState(false);
  const { mutate, isPending, error } = useEndSubscription(subscription);
  const close = (): void => setOpen(false);
  return (
    <>
      <RowButton deed="End" of={subscription.name} onClick={() => setOpen(true)} />
      {open && (
        <ConfirmDialog
          title={`End ${isolated(subscription.name)}`}
          deed="End it today"
          busy={isPending}
          error={error}
          onConfirm={() => mutate(undefined, { onSuccess: close })}
          onClose={close}
        >
          Today is its last day. From tomorrow on, sessions that it covered count as owed. What was before stays as it
          is.
        </ConfirmDialog>
      )}
    </>
  );
}

const OTHER_PLAN = '';

/** A known plan at list price, or any other with its name and price. */
function SubscriptionDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
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

export function AddSubscriptionButton(): ReactNode {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setOpen(true)}>
        Add a subscription
      </Button>
      {open && <SubscriptionDialog onClose={() => setOpen(false)} />}
    </>
  );
}

export function NoSubscription(): ReactNode {
  const mayAdd = useMay('manage');
  const mayUpload = useMay('work');
  return (
    <EmptyState
      icon="savings"
      title="No subscription yet"
      action={
        mayUpload ? <CopyBlock name="command that syncs Claude Code" text="npx tollbook sync claude-code" /> : undefined
      }
    >
      {mayAdd ? 'Add the plans' : 'An admin of this workspace adds the plans'} that you pay for, such as Claude Max or
      ChatGPT Plus. {mayUpload ? 'Then sync' : 'Members sync'} what Claude Code and Codex used on your machines: numbers
      only, no code and no prompts leave them.
    </EmptyState>
  );
}
