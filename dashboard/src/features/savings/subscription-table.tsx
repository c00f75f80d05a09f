import { type ReactNode, useState } from 'react';
import type { SubscriptionShape } from '../../../../src/contract/sync.ts';
import { formatDay } from '../../shared/format/time.ts';
import { Money } from '../../shared/theme/money.tsx';
import { StateBadge } from '../../shared/theme/state-badge.tsx';
import { ConfirmDialog } from '../../shared/ui/confirm-dialog.tsx';
import { type TableColumn, DataTable } from '../../shared/ui/data-table.tsx';
import { RowButton } from '../../shared/ui/row-button.tsx';
import { useMay } from '../../shared/session/session.ts';
import { useEndSubscription } from './use-subscriptions.ts';
import { isolated } from '../../shared/format/isolated.ts';

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
