import { NativeSelect } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { UsageChanges } from '../../../../src/contract/overview.ts';
import { isolatedQuotes } from '../../shared/format/isolated.ts';
import { Card } from '../../shared/ui/card.tsx';
import { type TableColumn, DataTable } from '../../shared/ui/data-table.tsx';
import { PageLink } from '../../shared/ui/links.tsx';
import { dimensionTitle, filterFor } from '../../shared/usage/dimensions.ts';
import { SummedCost } from '../../shared/usage/summed-cost.tsx';
import { changeRows, type ChangeRow, costAfter, costBefore, dimensionKey, knownChange } from './change-rows.ts';
import { shortDollars } from '../../../../src/domain/text/money.ts';

interface WhatChangedProps {
  readonly changes: UsageChanges;
}

/** Compares today with yesterday by this time, and shows which parts changed. */
export function WhatChanged({ changes }: WhatChangedProps): ReactNode {
  const names = changes.dimensions.map(dimensionKey);
  const [chosen, choose] = useState<string | null>(null);
  const shown = chosen ?? (changes.cause && dimensionKey(changes.cause)) ?? names[0];
  const dimension = changes.dimensions.find((each) => dimensionKey(each) === shown);
  return (
    <Card
      title="Compared with yesterday"
      aside={
        names.length > 0 && (
          <NativeSelect
            aria-label="Group changes by"
            value={shown ?? ''}
            onChange={({ currentTarget }) => choose(currentTarget.value)}
            data={names.map((name) => ({ value: name, label: `By ${name.replace(':', ' ')}` }))}
          />
        )
      }
    >
      <p>{isolatedQuotes(changes.message)}</p>
      {changes.difference !== 0 && (
        <p className="soft">
          Due to the number of calls: {signed(changes.byVolume)}. Due to the cost per call: {signed(changes.byRate)}.
        </p>
      )}
      {dimension && (
        <DataTable
          name="Changes since yesterday"
          columns={changeColumns(dimensionKey(dimension))}
          rows={changeRows(dimension)}
          rowKey={({ id }) => id}
        />
      )}
    </Card>
  );
}

function signed(usd: number | null): string {
  return `${usd !== null && usd > 0 ? '+' : ''}${shortDollars(usd)}`;
}

function changeColumns(dimension: string): readonly TableColumn<ChangeRow>[] {
  return [
    { id: 'name', name: dimensionTitle(dimension), cell: (row) => <ChangeName row={row} dimension={dimension} /> },
    {
      id: 'before',
      name: 'Yesterday',
      figures: true,
      wideOnly: true,
      cell: (row) => <SummedCost {...costBefore(row)} />,
    },
    {
      id: 'after',
      name: 'Today',
      figures: true,
      cell: (row) => <SummedCost {...costAfter(row)} />,
    },
    { id: 'difference', name: 'Change', figures: true, cell: (row) => signed(knownChange(row)) },
  ];
}

function ChangeName({ row, dimension }: { readonly row: ChangeRow; readonly dimension: string }): ReactNode {
  if (row.value === null) return <span className="soft">{row.name}</span>;
  return (
    <PageLink to="/explore" search={{ range: '7d', ...filterFor(dimension, row.value) }}>
      {row.name}
    </PageLink>
  );
}
