import { Button, SegmentedControl } from '@mantine/core';
import type { ReactNode } from 'react';
import type { SavingsShape } from '../../../../src/contract/sync.ts';
import { formatDay } from '../../shared/format/time.ts';
import { addDays, localDay } from '../../shared/time/local-day.ts';
import { PERIOD_NAMES, type SavingsAddress } from './savings-address.ts';

interface PeriodPickerProps {
  readonly savings: SavingsShape;
  readonly address: SavingsAddress;
  readonly onChange: (changes: { period?: string; date?: string | undefined }) => void;
}

/** Which day, week or month, and the one before and after. */
export function PeriodPicker({ savings, address, onChange }: PeriodPickerProps): ReactNode {
  const { start, end, timeZone, inProgress } = savings;
  const first = localDay(Date.parse(start), timeZone);
  const last = localDay(Date.parse(end) - 1, timeZone);
  return (
    <div className="row">
      <SegmentedControl
        aria-label="Length of the period"
        value={address.period}
        onChange={(period) => onChange({ period })}
        data={Object.entries(PERIOD_NAMES).map(([value, label]) => ({ value, label }))}
      />
      <Button variant="default" onClick={() => onChange({ date: addDays(first, -1) })}>
        Before
      </Button>
      <strong className="figure">
        {first === last ? formatDay(first, 'UTC') : `${formatDay(first, 'UTC')} to ${formatDay(last, 'UTC')}`}
      </strong>
      <Button variant="default" disabled={inProgress} onClick={() => onChange({ date: addDays(last, 1) })}>
        After
      </Button>
      {inProgress && <span className="soft">so far; days of {timeZone}</span>}
    </div>
  );
}
