import type { ReactNode } from 'react';
import type { WrappedKeyShape } from '../../../../src/api/contract.ts';
import { Count } from '../../shared/look/count.tsx';
import { Money } from '../../shared/look/money.tsx';
import { PageLink } from '../../shared/look/page-link.tsx';
import { TagList } from '../../shared/look/tag-list.tsx';
import { type Column, DataTable } from '../../shared/parts/data-table.tsx';
import { KeyBadge } from './key-badge.tsx';
import { type KeySpend, useKeySpend } from './use-key-spend.ts';

export function KeyTable({ keys }: { readonly keys: readonly WrappedKeyShape[] }): ReactNode {
  const spend = useKeySpend();
  return <DataTable name="Wrapped keys" columns={columnsOf(spend)} rows={keys} rowKey={({ id }) => id} />;
}

function columnsOf(spend: ReadonlyMap<string, KeySpend>): readonly Column<WrappedKeyShape>[] {
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
      sortBy: ({ id }) => spend.get(id)?.calls ?? 0,
      cell: ({ id }) => <Count of={spend.get(id)?.calls ?? 0} unit="calls" />,
    },
    {
      id: 'cost',
      name: 'Cost, 30 d',
      figures: true,
      sortBy: ({ id }) => spend.get(id)?.cost ?? 0,
      cell: ({ id }) => <Money usd={spend.get(id)?.cost ?? 0} />,
    },
  ];
}

/** How the provider key is told apart: it is never shown. */
export function providerKeyText({ providerKey: { lastFour, usedBy } }: WrappedKeyShape): string {
  const end = lastFour === null ? 'not shown' : `…${lastFour}`;
  return usedBy > 1 ? `${end}, shared by ${usedBy}` : end;
}
