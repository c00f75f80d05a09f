import { Button, NativeSelect, Popover, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { Icon } from '../theme/icon.tsx';
import { useFilterValues } from './use-filter-values.ts';
import { FIELD_NAMES, FILTER_FIELDS, type FilterField, findChoice, type UsageFilter } from './usage-filter.ts';

interface FilterMenuProps {
  readonly filter: UsageFilter;
  readonly onChange: (changes: Readonly<Record<string, string | undefined>>) => void;
}

/** Adds a filter: what to narrow, and to which of the values that there are. */
export function FilterMenu({ filter, onChange }: FilterMenuProps): ReactNode {
  const [open, setOpen] = useState(false);
  return (
    // Gone at once when a filter is set: the eye waits for the answer, not for the form to fade.
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
          Filter
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
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
  const list = useId();
  const values = useFilterValues(field, filter);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const chosen = values.find(({ name }) => name === text)?.value ?? text.trim();
    if (chosen !== '') onSet(field, chosen);
  };
  return (
    <form className="row" onSubmit={submit}>
      <NativeSelect
        aria-label="What to filter"
        value={field}
        onChange={({ currentTarget }) => {
          setField(findChoice(FILTER_FIELDS, currentTarget.value) ?? 'model');
          setText('');
        }}
        data={FILTER_FIELDS.map((each) => ({ value: each, label: FIELD_NAMES[each] }))}
      />
      <TextInput
        aria-label="Value"
        placeholder={field === 'tag' ? 'team=search' : 'is …'}
        list={list}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        data-autofocus
      />
      <datalist id={list}>
        {values.map(({ value, name }) => (
          <option key={value}>{name}</option>
        ))}
      </datalist>
      <Button type="submit" disabled={text.trim() === ''}>
        Set
      </Button>
    </form>
  );
}
