import { NativeSelect } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { LimitStanding } from '../../../../src/contract/limits.ts';
import { hasChart, LimitChart } from '../../shared/limits/limit-chart.tsx';
import { Card } from '../../shared/ui/card.tsx';

const WINDOW_TITLES: Readonly<Record<LimitStanding['window'], string>> = {
  minute: 'Used this minute',
  hour: 'Used this hour',
  day: 'Used today',
  week: 'Used this week',
  month: 'Used this month',
  total: 'Used, last 30 days',
};

/** The use of a limit over its window; of a limit on each value, that of one value. */
export function BurnDown({ limit }: { readonly limit: LimitStanding }): ReactNode {
  const [chosen, choose] = useState<string | null>(null);
  const values = limit.values?.map(({ value }) => value) ?? [];
  const value = chosen ?? values[0];
  if (!hasChart(limit) || (limit.values && value === undefined)) return null;
  return (
    <Card
      title={WINDOW_TITLES[limit.window]}
      aside={
        values.length > 0 && (
          <NativeSelect
            aria-label="Value"
            value={value ?? ''}
            onChange={({ currentTarget }) => choose(currentTarget.value)}
            data={values}
          />
        )
      }
    >
      <LimitChart limit={limit} value={value} />
    </Card>
  );
}
