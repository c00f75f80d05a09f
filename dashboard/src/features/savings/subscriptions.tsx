import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { PlanShape, ManagedSubscription } from '../../../../src/contract/sync.ts';
import { countNoun } from '../../../../src/domain/text/counts.ts';
import { isolated } from '../../shared/format/isolated.ts';
import { useMay } from '../../shared/session/session.ts';
import { CopyBlock } from '../../shared/ui/copy-block.tsx';
import { DataTable, RowButton, type TableColumn } from '../../shared/ui/data-table.tsx';
import { ConfirmDialog, FormDialog } from '../../shared/ui/dialog.tsx';
import { EmptyState } from '../../shared/ui/empty-state.tsx';
import { Icon } from '../../shared/ui/icon.tsx';
import { Money, StateBadge } from '../../shared/ui/values.tsx';
import { useAddSubscription, useEndSubscription, usePlans } from './queries.ts';
import { readSubscription } from './read-subscription.ts';
import { formatDate } from '../../../../src/domain/text/dates.ts';
import { DateField } from '../../shared/ui/date-field.tsx';
import { SelectField, TextField } from '../../shared/ui/form-inputs.tsx';

interface SubscriptionTableProps {
  readonly subscriptions: readonly ManagedSubscription[];
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

/** Sessions that plans of a provider cover. */
const ASSISTANT_SESSIONS: Readonly<Record<string, string>> = {
  anthropic: 'Claude Code sessions',
  openai: 'Codex sessions',
};

const subscriptionColumns: readonly TableColumn<ManagedSubscription>[] = [
  {
    id: 'name',
    name: 'Name',
    sortBy: ({ name }) => name,
    cell: (subscription) => (
      <>
        {subscription.name}
        <span className="soft beneath narrow">
          From {formatDate(subscription.startedAt, 'UTC')} · {subscriptionState(subscription)}
        </span>
      </>
    ),
  },
  { id: 'provider', name: 'Provider', wideOnly: true, cell: ({ provider }) => provider },
  {
    id: 'cost',
    name: 'Per month',
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
      tokens.length === 0 ? (ASSISTANT_SESSIONS[provider] ?? provider) : countNoun(tokens.length, 'access token'),
  },
  {
    id: 'from',
    name: 'From',
    wideOnly: true,
    sortBy: ({ startedAt }) => startedAt,
    cell: ({ startedAt }) => formatDate(startedAt, 'UTC'),
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

function subscriptionState({ active, endedAt }: ManagedSubscription): string {
  if (endedAt !== null) return `Until ${formatDate(endedAt, 'UTC')}`;
  return active ? 'Active' : 'Not started';
}

const endColumn: TableColumn<ManagedSubscription> = {
  id: 'end',
  name: '',
  cell: (subscription) => subscription.endedAt === null && <EndSubscriptionButton subscription={subscription} />,
};

function EndSubscriptionButton({ subscription }: { readonly subscription: ManagedSubscription }): ReactNode {
  const [open, setOpen] = useState(false);
  const { mutate, isPending, error } = useEndSubscription(subscription);
  const close = (): void => setOpen(false);
  return (
    <>
      <RowButton actionLabel="End" of={subscription.name} onClick={() => setOpen(true)} />
      {open && (
        <ConfirmDialog
          title={`End ${isolated(subscription.name)}?`}
          actionLabel="End today"
          busy={isPending}
          error={error}
          onConfirm={() => mutate(undefined, { onSuccess: close })}
          onClose={close}
        >
          Today becomes its last day. From tomorrow, its sessions count as pay-as-you-go. Past periods do not change.
        </ConfirmDialog>
      )}
    </>
  );
}

const OTHER_PLAN = '';

/** Adds a known plan, or another one with its name and price. */
function SubscriptionDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { data: plans = [] } = usePlans();
  const [plan, setPlan] = useState<string | null>(null);
  const add = useAddSubscription();
  const chosen = plan ?? plans[0]?.plan ?? OTHER_PLAN;
  return (
    <FormDialog
      title="Add subscription"
      actionLabel="Add subscription"
      busy={add.isPending}
      error={add.error}
      onClose={onClose}
      onSubmit={(fields) => add.mutate(readSubscription(fields), { onSuccess: onClose })}
    >
      <SelectField
        name="plan"
        label="Plan"
        value={chosen}
        onChange={({ currentTarget }) => setPlan(currentTarget.value)}
        data={[
          ...plans.map((each) => ({ value: each.plan, label: planLabel(each) })),
          { value: OTHER_PLAN, label: 'Other' },
        ]}
      />
      {chosen === OTHER_PLAN && <OtherPlanFields />}
      <TextField
        name="monthlyCost"
        label="US dollars per seat and month"
        description={chosen === OTHER_PLAN ? undefined : 'Leave empty for the list price'}
        inputMode="decimal"
        required={chosen === OTHER_PLAN}
      />
      <TextField name="seats" type="number" label="Seats" min={1} defaultValue="1" required />
      <DateField name="startedAt" label="First day" description="Leave empty for today" />
    </FormDialog>
  );
}

function OtherPlanFields(): ReactNode {
  return (
    <>
      <TextField name="name" label="Plan name" required />
      <SelectField
        name="provider"
        label="Covers"
        data={Object.entries(ASSISTANT_SESSIONS).map(([value, label]) => ({ value, label }))}
      />
    </>
  );
}

function planLabel({ name, monthlyCost }: PlanShape): string {
  return `${name}, $${monthlyCost} per month`;
}

export function AddSubscriptionButton(): ReactNode {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setOpen(true)}>
        Add subscription
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
      title="No subscriptions yet"
      action={
        mayUpload ? <CopyBlock name="command that syncs Claude Code" text="npx tollbook sync claude-code" /> : undefined
      }
    >
      {mayAdd ? 'Add the plans' : 'An admin can add the plans'} that you pay for, such as Claude Max or ChatGPT Plus.{' '}
      {mayUpload ? 'Then upload' : 'Members upload'} the local usage of Claude Code and Codex. Only figures are sent, no
      code and no prompts.
    </EmptyState>
  );
}
