import type { ReactNode } from 'react';
import type { AssistantDimension, AssistantUsage } from '../../../../src/contract/assistants.ts';
import { shortDollars } from '../../../../src/domain/text/money.ts';
import { OTHER_VALUES, stackLayers } from '../../shared/chart/stack.ts';
import { TimeChart } from '../../shared/chart/time-chart.tsx';
import type { AddressChanges } from '../../shared/filter/address.ts';
import { choiceBetween } from '../../shared/time/period.ts';
import { chartEnd } from '../../shared/usage/usage-chart.tsx';
import { describeAssistantValue, DIMENSION_TITLES } from './dimension-names.ts';

interface UsageOverTimeProps {
  readonly answer: AssistantUsage;
  readonly by: AssistantDimension;
  readonly onChange: (changes: AddressChanges) => void;
}

/** Usage over time at pay-as-you-go prices. A click on a value filters by it, and dragging chooses a shorter period. */
export function UsageOverTime({ answer, by, onChange }: UsageOverTimeProps): ReactNode {
  const { series, rows } = answer;
  const { starts, step, timeZone } = series;
  const names = new Map(rows[by].map(({ value, name }) => [value, name]));
  return (
    <TimeChart
      name={`Usage by ${DIMENSION_TITLES[by].toLowerCase()}`}
      starts={starts}
      end={chartEnd(series)}
      step={step}
      zone={timeZone}
      layers={stackLayers(series, 'cost')}
      nameOf={(value) => describeAssistantValue(by, value, names.get(value) ?? null)}
      format={shortDollars}
      actions={{
        pick: (value) => (value === null || value === OTHER_VALUES ? null : () => onChange({ [by]: value })),
        zoom:
          step === 'hour'
            ? null
            : ({ start, until }) => onChange({ range: undefined, ...choiceBetween(start, until, timeZone) }),
        calls: () => null,
      }}
    />
  );
}
