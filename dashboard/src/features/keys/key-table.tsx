import type { ReactNode } from 'react';
import type { WrappedKeyShape } from '../../../../src/contract/usage.ts';
import { useNow } from '../../shared/time/clock.ts';
import { DataTable, type TableColumn } from '../../shared/ui/data-table.tsx';
import { PageLink } from '../../shared/ui/links.tsx';
import { Ago, Count, StateBadge, TagList } from '../../shared/ui/values.tsx';
import { knownCost } from '../../shared/usage/cost-sum.ts';
import { SummedCost } from '../../shared/usage/summed-cost.tsx';
import { type KeySpend, type KeySpendLookup, useKeySpend } from './key-spend.ts';
import { keyState } from './key-state.ts';

const BADGE_REFRESH_MS = 15_000;
const WEEK_MS = 7 * 86_400_000;

export function KeyTable({ keys }: { readonly keys: readonly WrappedKeyShape[] }): ReactNode {
  const spend = useKeySpend();
  return <DataTable name="Wrapped keys" columns={keyColumns(spend)} rows={keys} rowKey={({ id }) => id} />;
}

/** Whether it works, and for how long where that is not for good. */
export function KeyBadge({ of }: { readonly of: WrappedKeyShape }): ReactNode {
  const now = useNow(BADGE_REFRESH_MS);
  const state = keyState(of, now);
  const color = state === 'works' ? 'teal' : state === 'expired' ? 'red' : 'gray';
  const endsSoon = state === 'works' && of.expiresAt !== null && Date.parse(of.expiresAt) - now < WEEK_MS;
  return (
    <StateBadge color={endsSoon ? 'yellow' : color}>
      {endsSoon ? <>expires {of.expiresAt !== null && <Ago at={of.expiresAt} />}</> : state}
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
      name: 'Calls, 30 d',
      figures: true,
      wideOnly: true,
      sortBy: ({ id }) => spend(id)?.calls ?? null,
      cell: ({ id }) => <CallCount of={spend(id)?.calls ?? null} />,
    },
    {
      id: 'cost',
      name: 'Cost, 30 d',
      figures: true,
      sortBy: ({ id }) => spendCost(spend(id)),
      cell: ({ id }) => <KeyCost of={spend(id)} />,
    },
  ];
}

/** Of very many keys, only the dearest are told apart. */
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

/** How the provider key is told apart: it is never shown. */
export function providerKeyText({ providerKey: { lastFour, usedBy } }: WrappedKeyShape): string {
  const end = lastFour === null ? 'not shown' : `…${lastFour}`;
  return usedBy > 1 ? `${end}, shared by ${usedBy}` : end;
}
