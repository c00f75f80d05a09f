import { Button, Checkbox, NativeSelect, Popover } from '@mantine/core';
import type { ReactNode } from 'react';
import type { UsageMeasure } from '../../shared/chart/stack.ts';
import type { AddressChanges } from '../../shared/filter/address.ts';
import { Icon } from '../../shared/ui/icon.tsx';
import { DimensionSelect, SecondDimensionSelect } from '../../shared/usage/dimension-select.tsx';
import { type ExploreAddress, TOP_CHOICES } from './explore-address.ts';

interface ViewControlsProps extends ExploreAddress {
  readonly onChange: (changes: AddressChanges) => void;
}

const MEASURE_CHOICES: readonly { readonly value: UsageMeasure; readonly label: string }[] = [
  { value: 'cost', label: 'Cost' },
  { value: 'calls', label: 'Calls' },
  { value: 'tokens', label: 'Tokens' },
];

/** Controls of the measure, groups and display of the chart. */
export function ViewControls({ first, second, measure, onChange, ...view }: ViewControlsProps): ReactNode {
  return (
    <>
      <NativeSelect
        aria-label="Measure"
        value={measure}
        onChange={({ currentTarget }) => onChange({ show: currentTarget.value })}
        data={[...MEASURE_CHOICES]}
      />
      <DimensionSelect dimension={first} onChange={(by) => onChange({ by })} />
      <SecondDimensionSelect first={first} second={second} onChange={(and) => onChange({ and })} />
      <Popover position="bottom-end" shadow="md" trapFocus>
        <Popover.Target>
          <Button variant="default" leftSection={<Icon name="settings" size={16} />}>
            Display
          </Button>
        </Popover.Target>
        <Popover.Dropdown>
          <DisplayOptions {...view} onChange={onChange} />
        </Popover.Dropdown>
      </Popover>
    </>
  );
}

type DisplayOptionsProps = Omit<ViewControlsProps, 'first' | 'second' | 'measure'>;

function DisplayOptions({ compare, top, isRunning, isLog, hasEvents, onChange }: DisplayOptionsProps): ReactNode {
  const options = [
    { label: 'Compare to previous period', checked: compare, name: 'compare', on: 'before', off: undefined },
    { label: 'Running total', checked: isRunning, name: 'total', on: 'running', off: undefined },
    { label: 'Logarithmic scale', checked: isLog, name: 'scale', on: 'log', off: undefined },
    { label: 'Show events', checked: hasEvents, name: 'events', on: undefined, off: 'off' },
  ];
  return (
    <div className="stack">
      {options.map(({ label, checked, name, on, off }) => (
        <Checkbox
          key={name}
          label={label}
          checked={checked}
          onChange={({ currentTarget }) => onChange({ [name]: currentTarget.checked ? on : off })}
        />
      ))}
      <NativeSelect
        label="Values with a color"
        value={top}
        onChange={({ currentTarget }) => onChange({ top: currentTarget.value })}
        data={TOP_CHOICES.map((value) => ({ value, label: `Top ${value}` }))}
      />
    </div>
  );
}
