import type { ReactNode } from 'react';
import type { WrappedKeyShape } from '../../../../src/contract/keys.ts';
import { useNow } from '../../shared/time/clock.ts';
import { DataTable, type TableColumn } from '../../shared/ui/data-table.tsx';
import { PageLink } from '../../shared/ui/links.tsx';
import { Ago, Count, StateBadge, TagList } from '../../shared/ui/values.tsx';
import { knownCost } from '../../shared/usage/cost-sum.ts';
import { SummedCost } from '../../shared/usage/summed-cost.tsx';
import { type KeySpend, type KeySpendLookup, useKeySpend } from './key-spend.ts';
import { keyState } from './key-state.ts';
import { WEEK_MS } from '../../../../src/domain/time/units.ts';

const STATE_NAMES = { active: 'Active', expired: 'Expired', revoked: 'Revoked' } as const;
const BADGE_REFRESH_MS = 15_000;
export function KeyTable({ keys }: { readonly keys: readonly WrappedKeyShape[] }): ReactNode {
  const spend = useKeySpend();
  return (
    <DataTable
      name="Keys"
      columns={keyColumns(spend)}
      rows={keys}
      rowKey={({ id }) => id}
      bar={({ id }) => spendCost(spend(id))}
    />
  );
}

/** State of a key; keys that expire within a week say when. */
export function KeyBadge({ of }: { readonly of: WrappedKeyShape }): ReactNode {
  const now = useNow(BADGE_REFRESH_MS);
  const state = keyState(of, now);
  const color = state === 'active' ? 'teal' : state === 'expired' ? 'red' : 'gray';
  const endsSoon = state === 'active' && of.expiresAt !== null && Date.parse(of.expiresAt) - now < WEEK_MS;
  return (
    <StateBadge color={endsSoon ? 'yellow' : color}>
      {endsSoon ? <>Expires {of.expiresAt !== null && <Ago at={of.expiresAt} />}</> : STATE_NAMES[state]}
    </StateBadge>
  );
}

function keyColumns(spend: KeySpendLookup): readonly TableColumn<WrappedKeyShape>[] {
  return [
    {
      id: 'name',
      name: 'Name',
      sortBy: ({ name }) => name,
      cell: ({ id, name }) => <PageLink to={`/keys/${id}`}>{name}</PageLink>,
    },
    {
      id: 'provider',
      name: 'Provider',
      wideOnly: true,
      sortBy: ({ provider }) => provider,
      cell: ({ provider }) => provider,
    },
    { id: 'tags', name: 'Tags', wideOnly: true, cell: ({ tags }) => <TagList tags={tags} /> },
    { id: 'providerKey', name: 'Provider key', wideOnly: true, cell: (key) => providerKeyText(key) },
    { id: 'state', name: 'State', cell: (key) => <KeyBadge of={key} /> },
    {
      id: 'calls',
      name: 'Calls (30 days)',
      figures: true,
      wideOnly: true,
      sortBy: ({ id }) => spend(id)?.calls ?? null,
      cell: ({ id }) => <CallCount of={spend(id)?.calls ?? null} />,
    },
    {
      id: 'cost',
      name: 'Cost (30 days)',
      figures: true,
      sortBy: ({ id }) => spendCost(spend(id)),
      cell: ({ id }) => <KeyCost of={spend(id)} />,
    },
  ];
}

/** With very many keys, only the most expensive ones have their own figure. */
const UNKNOWN_SPEND = <span className="soft">–</span>;

function CallCount({ of }: { readonly of: number | null }): ReactNode {
  return of === null ? UNKNOWN_SPEND : <Count of={of} unit="calls" />;
}

function KeyCost({ of }: { readonly of: KeySpend | null }): ReactNode {
  return of === null ? UNKNOWN_SPEND : <SummedCost {...of} />;
}

function spendCost(spend: KeySpend | null): number | null {
  return spend && knownCost(spend);
}

/** Identifies a provider key by its last characters: the key itself is never shown. */
export function providerKeyText({ providerKey }: WrappedKeyShape): string {
  if (providerKey === null) return 'Subscription login';
  const { lastFour, usedBy } = providerKey;
  const end = lastFour === null ? 'Hidden' : `…${lastFour}`;
  return usedBy > 1 ? `${end}, shared by ${usedBy}` : end;
}
