import { NativeSelect } from '@mantine/core';
import type { ReactNode } from 'react';
import { type AssistantDimension, type AssistantUsage, NO_VALUE } from '../../../../src/contract/assistants.ts';
import type { AddressChanges } from '../../shared/filter/address.ts';
import { FilterChip } from '../../shared/filter/filter-bar.tsx';
import { PeriodSelect } from '../../shared/filter/period-select.tsx';
import type { AssistantFilter } from './assistants-address.ts';
import { describeAssistantValue, DIMENSION_TITLES } from './dimension-names.ts';

interface AssistantFilterBarProps {
  readonly filter: AssistantFilter;
  /** Values of the period; undefined = not loaded. */
  readonly values: AssistantUsage['values'] | undefined;
  readonly onChange: (changes: AddressChanges) => void;
}

/** Properties with a select. The others are set by a click on a value. */
const SELECTED = ['person', 'assistant', 'project'] as const;
const ALL: Readonly<Record<(typeof SELECTED)[number], string>> = {
  person: 'All people',
  assistant: 'All assistants',
  project: 'All projects',
};

/** Period and filters. They are part of the address, so a view can be shared. */
export function AssistantFilterBar({ filter, values, onChange }: AssistantFilterBarProps): ReactNode {
  return (
    <div className="row" role="group" aria-label="Filters">
      <PeriodSelect choice={filter} onChange={onChange} />
      {SELECTED.map((by) => (
        <ValueSelect key={by} by={by} chosen={filter[by]} values={values} onChange={onChange} />
      ))}
      <NativeSelect
        aria-label="Plan"
        value={filter.covered ?? ''}
        onChange={({ currentTarget }) => onChange({ covered: currentTarget.value || undefined })}
        data={[
          { value: '', label: 'Any coverage' },
          { value: 'true', label: 'Covered by a plan' },
          { value: 'false', label: 'Pay as you go' },
        ]}
      />
      {(['credential', 'model'] as const).map((by) => {
        const value = filter[by];
        return value === undefined ? null : (
          <FilterChip
            key={by}
            name={DIMENSION_TITLES[by]}
            value={describeAssistantValue(by, value, findName(values, by, value))}
            onRemove={() => onChange({ [by]: undefined })}
          />
        );
      })}
    </div>
  );
}

interface ValueSelectProps extends Pick<AssistantFilterBarProps, 'values' | 'onChange'> {
  readonly by: (typeof SELECTED)[number];
  readonly chosen: string | undefined;
}

function ValueSelect({ by, chosen, values, onChange }: ValueSelectProps): ReactNode {
  const known = values?.[by] ?? [];
  const offered = [...new Set([...(chosen === undefined ? [] : [chosen]), ...known.map(({ value }) => value)])];
  return (
    <NativeSelect
      aria-label={DIMENSION_TITLES[by]}
      value={chosen ?? ''}
      onChange={({ currentTarget }) => onChange({ [by]: currentTarget.value || undefined })}
      data={[
        { value: '', label: ALL[by] },
        ...offered.map((value) => ({ value, label: describeAssistantValue(by, value, findName(values, by, value)) })),
        ...(by === 'project' && chosen !== NO_VALUE
          ? [{ value: NO_VALUE, label: describeAssistantValue(by, null, null) }]
          : []),
      ]}
    />
  );
}

function findName(values: AssistantUsage['values'] | undefined, by: AssistantDimension, value: string): string | null {
  return values?.[by].find((one) => one.value === value)?.name ?? null;
}
