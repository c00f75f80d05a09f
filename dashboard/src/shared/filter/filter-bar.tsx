import { Autocomplete, Button, NativeSelect, Popover } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import type { UsageValues } from '../../../../src/contract/usage.ts';
import { useRead } from '../api/use-api.ts';
import { sourceName } from '../names/display-names.ts';
import { Icon } from '../ui/icon.tsx';
import styles from './filter-bar.module.css';
import { PeriodSelect } from './period-select.tsx';
import {
  FIELD_NAMES,
  FILTER_FIELDS,
  type FilterField,
  findChoice,
  type UsageFilter,
  useUsageQuery,
} from './usage-filter.ts';

/** Values that are offered at a time; typing narrows them. */
const OPTIONS_MAX = 50;

interface FilterBarProps {
  readonly filter: UsageFilter;
  readonly onChange: (changes: Readonly<Record<string, string | undefined>>) => void;
  /** Names of wrapped keys by ID. */
  readonly keyNames: ReadonlyMap<string, string>;
}

/** Period and filters. They are part of the address, so a view can be shared. */
export function FilterBar({ filter, onChange, keyNames }: FilterBarProps): ReactNode {
  const set = FILTER_FIELDS.filter((field) => filter[field] !== undefined);
  return (
    <div className={styles.bar} role="group" aria-label="Filters">
      <PeriodSelect choice={filter} onChange={onChange} />
      {set.map((field) => (
        <FilterChip
          key={field}
          name={FIELD_NAMES[field]}
          value={shownValue(field, filter[field] ?? '', keyNames)}
          onRemove={() => onChange({ [field]: undefined })}
        />
      ))}
      <FilterMenu filter={filter} onChange={onChange} />
    </div>
  );
}

interface FilterChipProps {
  /** Name of the field. */
  readonly name: string;
  readonly value: string;
  readonly onRemove: () => void;
}

/** A filter that is set, with a button that removes it. */
export function FilterChip({ name, value, onRemove }: FilterChipProps): ReactNode {
  return (
    <span className={styles.chip}>
      <span className="soft">{name}</span>
      <span className={styles.value}>{value}</span>
      <button type="button" aria-label={`Remove filter ${name}`} onClick={onRemove}>
        <Icon name="close" size={14} />
      </button>
    </span>
  );
}

interface FilterValue {
  readonly value: string;
  /** Display name. */
  readonly name: string;
}

/** Returns the values of a field in the current period, most expensive first; for tags, the keys. */
function useFilterValues(field: FilterField, { range, from, to }: UsageFilter): readonly FilterValue[] {
  const period = useUsageQuery({ ...(range && { range }), ...(from && { from }), ...(to && { to }) });
  const { data } = useRead('GET /api/mcp/usage/values', { query: period });
  return data ? listFieldValues(data, field) : [];
}

function listFieldValues(values: UsageValues, field: FilterField): readonly FilterValue[] {
  switch (field) {
    case 'provider':
      return values.providers.map(toFilterValue);
    case 'model':
      return values.models.map(toFilterValue);
    case 'key':
      return values.keys;
    case 'source':
      return values.sources.map(({ value }) => ({ value, name: sourceName(value) }));
    case 'status':
      return values.statuses.map(toFilterValue);
    case 'tag':
      return values.tagKeys.map((key) => toFilterValue({ value: `${key}=` }));
    default:
      // Sessions, agents and runs are too many for a list.
      return [];
  }
}

function toFilterValue({ value }: { readonly value: string }): FilterValue {
  return { value, name: value };
}

interface FilterMenuProps {
  readonly filter: UsageFilter;
  readonly onChange: (changes: Readonly<Record<string, string | undefined>>) => void;
}

/** Adds a filter: a field and one of its values. */
function FilterMenu({ filter, onChange }: FilterMenuProps): ReactNode {
  const [open, setOpen] = useState(false);
  return (
    // No exit transition: the form disappears immediately when a filter is set.
    <Popover
      opened={open}
      onChange={setOpen}
      position="bottom-start"
      trapFocus
      shadow="md"
      transitionProps={{ exitDuration: 0 }}
    >
      <Popover.Target>
        <Button variant="subtle" size="sm" leftSection={<Icon name="plus" size={16} />} onClick={() => setOpen(!open)}>
          {' '}
          Add filter{' '}
        </Button>
      </Popover.Target>
      <Popover.Dropdown maw="calc(100vw - 2rem)">
        {open && (
          <FilterForm
            filter={filter}
            onSet={(field, value) => {
              onChange({ [field]: value });
              setOpen(false);
            }}
          />
        )}
      </Popover.Dropdown>
    </Popover>
  );
}

interface FilterFormProps {
  readonly filter: UsageFilter;
  readonly onSet: (field: FilterField, value: string) => void;
}

function FilterForm({ filter, onSet }: FilterFormProps): ReactNode {
  const [field, setField] = useState<FilterField>('model');
  const [text, setText] = useState('');
  const values = useFilterValues(field, filter);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const chosen = values.find(({ name }) => name === text)?.value ?? text.trim();
    if (chosen !== '') onSet(field, chosen);
  };
  return (
    <form className="row" onSubmit={submit}>
      <NativeSelect
        aria-label="Filter field"
        value={field}
        onChange={({ currentTarget }) => {
          setField(findChoice(FILTER_FIELDS, currentTarget.value) ?? 'model');
          setText('');
        }}
        data={FILTER_FIELDS.map((each) => ({ value: each, label: FIELD_NAMES[each] }))}
      />
      <Autocomplete
        aria-label="Value"
        placeholder={field === 'tag' ? 'team=search' : 'Value'}
        value={text}
        data={[...new Set(values.map(({ name }) => name))]}
        limit={OPTIONS_MAX}
        // Inside the popover, so that a click on an option does not close it.
        comboboxProps={{ withinPortal: false }}
        onChange={setText}
        data-autofocus
      />
      <Button type="submit" disabled={text.trim() === ''}>
        {' '}
        Apply{' '}
      </Button>
    </form>
  );
}

function shownValue(field: FilterField, value: string, keyNames: ReadonlyMap<string, string>): string {
  return field === 'key' ? (keyNames.get(value) ?? value) : value;
}
