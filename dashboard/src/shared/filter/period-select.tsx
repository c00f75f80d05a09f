import { NativeSelect } from '@mantine/core';
import type { ReactNode } from 'react';
import { useWorkspace } from '../session/session.ts';
import { addDays, localDay } from '../time/local-day.ts';
import { isMinute, type PeriodChoice, type NamedRange, RANGE_NAMES, RANGES } from '../time/period.ts';
import { formatSpan } from '../../../../src/domain/text/dates.ts';
import { DateField } from '../ui/date-field.tsx';

type PeriodChanges = Readonly<Record<'range' | 'from' | 'to', string | undefined>>;

interface PeriodSelectProps {
  readonly choice: PeriodChoice;
  /** Offered ranges; default: all. */
  readonly ranges?: readonly NamedRange[];
  readonly onChange: (changes: PeriodChanges) => void;
}

const CUSTOM_PERIOD = 'own';
const CUSTOM_PERIOD_DAYS = 7;

/** Selects a period: a named range, or a first and last day. */
export function PeriodSelect({ choice, ranges = RANGES, onChange }: PeriodSelectProps): ReactNode {
  const { timeZone } = useWorkspace();
  const { from, to } = choice;
  const own = from !== undefined && to !== undefined;
  const choose = (value: string): void => {
    const today = localDay(Date.now(), timeZone);
    if (value === CUSTOM_PERIOD)
      onChange({ range: undefined, from: addDays(today, 1 - CUSTOM_PERIOD_DAYS), to: today });
    else onChange({ range: value, from: undefined, to: undefined });
  };
  return (
    <>
      <NativeSelect
        aria-label="Period"
        value={own ? CUSTOM_PERIOD : (choice.range ?? '30d')}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
        data={[
          ...ranges.map((range) => ({ value: range, label: RANGE_NAMES[range] })),
          { value: CUSTOM_PERIOD, label: own ? 'Custom' : 'Custom…' },
        ]}
      />
      {own && isMinute(from) && <span className="figure">{formatSpan(from, to, timeZone)}</span>}
      {own && !isMinute(from) && (
        <>
          <DateField
            key={`from ${from}`}
            aria-label="First day"
            defaultValue={from}
            onChange={(day) => onChange({ range: undefined, from: day, to })}
          />
          <DateField
            key={`to ${to}`}
            aria-label="Last day"
            defaultValue={to}
            onChange={(day) => onChange({ range: undefined, from, to: day })}
          />
        </>
      )}
    </>
  );
}
