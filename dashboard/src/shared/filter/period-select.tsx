import { NativeSelect } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatDay } from '../format/time.ts';
import { type PeriodChoice, RANGE_NAMES, RANGES } from '../time/period.ts';

interface PeriodSelectProps {
  readonly choice: PeriodChoice;
  readonly onChange: (changes: { range?: string; from: undefined; to: undefined }) => void;
}

const OWN = 'own';

/** Which time is looked at. Days that were picked from a chart appear as they are. */
export function PeriodSelect({ choice, onChange }: PeriodSelectProps): ReactNode {
  const { from, to } = choice;
  const own = from !== undefined && to !== undefined;
  return (
    <NativeSelect
      aria-label="Period"
      value={own ? OWN : (choice.range ?? '30d')}
      onChange={({ currentTarget }) => onChange({ range: currentTarget.value, from: undefined, to: undefined })}
      data={[
        ...(own ? [{ value: OWN, label: daysBetween(from, to) }] : []),
        ...RANGES.map((range) => ({ value: range, label: RANGE_NAMES[range] })),
      ]}
    />
  );
}

function daysBetween(from: string, to: string): string {
  return from === to ? formatDay(from, 'UTC') : `${formatDay(from, 'UTC')} to ${formatDay(to, 'UTC')}`;
}
