import { Button, NativeSelect, Popover, TagsInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import type { UsageValues } from '../../../../src/contract/usage.ts';
import { useRead } from '../api/use-api.ts';
import { sourceName } from '../names/display-names.ts';
import { Icon } from '../ui/icon.tsx';
import type { AddressChanges } from './address.ts';
import { joinValues, splitValues } from './parameter-values.ts';
import styles from './filter-bar.module.css';
import { PeriodSelect } from './period-select.tsx';
import {
  FIELD_NAMES,
  FILTER_FIELDS,
  type FilterField,
  findChoice,
  notField,
  type UsageFilter,
  useUsageQuery,
} from './usage-filter.ts';

/** Values that are offered at a time; typing narrows them. */
const OPTIONS_MAX = 50;
/** Values of one filter. */
const VALUES_MAX = 50;

interface FilterBarProps {
  readonly filter: UsageFilter;
  readonly onChange: (changes: AddressChanges) => void;
  /** Names of wrapped keys by ID. */
  readonly keyNames: ReadonlyMap<string, string>;
}

/** One filter of the bar: a field that has one of some values, or none of them. */
interface FieldChoice {
  readonly field: FilterField;
  readonly isNot: boolean;
  readonly values: readonly string[];
}

/** Period and filters. They are part of the address, so a view can be shared. */
export function FilterBar({ filter, onChange, keyNames }: FilterBarProps): ReactNode {
  return (
    <div className={styles.bar} role="group" aria-label="Filters">
      <PeriodSelect choice={filter} onChange={onChange} />
      {readFieldChoices(filter).map((choice) => (
        <FilterPopover key={choiceParameter(choice)} {...{ filter, onChange, choice, keyNames }} />
      ))}
      <FilterPopover {...{ filter, onChange, keyNames }} />
    </div>
  );
}

function readFieldChoices(filter: UsageFilter): readonly FieldChoice[] {
  return FILTER_FIELDS.flatMap((field) =>
    [false, true].map((isNot) => ({ field, isNot, values: splitValues(filter[isNot ? notField(field) : field]) })),
  ).filter(({ values }) => values.length > 0);
}

function choiceParameter({ field, isNot }: Pick<FieldChoice, 'field' | 'isNot'>): string {
  return isNot ? notField(field) : field;
}

function choiceText({ field, isNot, values }: FieldChoice, keyNames: ReadonlyMap<string, string>): string {
  const names = values.map((value) => shownValue(field, value, keyNames));
  return `${isNot ? 'not ' : ''}${names.join(isNot ? ', not ' : ' or ')}`;
}

interface FilterChipProps {
  /** Name of the field. */
  readonly name: string;
  readonly value: string;
  readonly onRemove: () => void;
  /** Absent = the filter can only be removed. */
  readonly onEdit?: () => void;
  /** The form that edits it is open. */
  readonly editing?: boolean;
}

/** A filter that is set, with buttons that edit and remove it. */
export function FilterChip({ name, value, onRemove, onEdit, editing = false }: FilterChipProps): ReactNode {
  const text = (
    <>
      <span className="soft">{name}</span> <span className={styles.value}>{value}</span>
    </>
  );
  return (
    <span className={styles.chip}>
      {onEdit ? (
        <button
          type="button"
          className={styles.edit}
          title={`${name}: ${value}`}
          aria-haspopup="dialog"
          aria-expanded={editing}
          onClick={onEdit}
        >
          {text}
        </button>
      ) : (
        text
      )}
      <button type="button" className={styles.remove} aria-label={`Remove filter ${name}`} onClick={onRemove}>
        <Icon name="close" size={14} />
      </button>
    </span>
  );
}

interface FilterPopoverProps extends FilterBarProps {
  /** The filter to edit; absent = a new one. */
  readonly choice?: FieldChoice;
}

/** A filter or a button that adds one, and the form that it opens. */
function FilterPopover({ filter, onChange, keyNames, choice }: FilterPopoverProps): ReactNode {
  const [open, setOpen] = useState(false);
  const toggle = (): void => setOpen(!open);
  const set = (next: FieldChoice): void => {
    setOpen(false);
    onChange({
      ...(choice && { [choiceParameter(choice)]: undefined }),
      [choiceParameter(next)]: joinValues(next.values),
    });
  };
  return (
    // No exit transition: the form disappears immediately when a filter is set. The button has the roles, not its place.
    <Popover
      withRoles={false}
      opened={open}
      onChange={setOpen}
      position="bottom-start"
      trapFocus
      shadow="md"
      transitionProps={{ exitDuration: 0 }}
    >
      <Popover.Target>
        <span className={styles.target}>
          {choice ? (
            <FilterChip
              name={FIELD_NAMES[choice.field]}
              value={choiceText(choice, keyNames)}
              onRemove={() => onChange({ [choiceParameter(choice)]: undefined })}
              onEdit={toggle}
              editing={open}
            />
          ) : (
            <Button
              variant="subtle"
              size="sm"
              leftSection={<Icon name="plus" size={16} />}
              aria-haspopup="dialog"
              aria-expanded={open}
              onClick={toggle}
            >
              Add filter
            </Button>
          )}
        </span>
      </Popover.Target>
      <Popover.Dropdown role="dialog" aria-label="Filter" maw="calc(100vw - 2rem)">
        {open && <FilterForm filter={filter} {...(choice && { choice })} onSet={set} />}
      </Popover.Dropdown>
    </Popover>
  );
}

interface FilterFormProps {
  readonly filter: UsageFilter;
  readonly choice?: FieldChoice;
  readonly onSet: (choice: FieldChoice) => void;
}

const NEW_CHOICE: FieldChoice = { field: 'model', isNot: false, values: [] };

function FilterForm({ filter, choice = NEW_CHOICE, onSet }: FilterFormProps): ReactNode {
  const [field, setField] = useState(choice.field);
  const [isNot, setNot] = useState(choice.isNot);
  const [values, setValues] = useState(choice.values);
  const [text, setText] = useState('');
  const offered = useFilterValues(field, filter, text);
  const names = new Map(offered.map(({ value, name }) => [value, name]));
  const findValue = (name: string): string => offered.find((each) => each.name === name)?.value ?? name.trim();
  const chosen = [...new Set([...values, ...(text.trim() === '' ? [] : [findValue(text)])])];
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (chosen.length > 0) onSet({ field, isNot, values: chosen });
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <NativeSelect
        aria-label="Filter field"
        value={field}
        onChange={({ currentTarget }) => {
          setField(findChoice(FILTER_FIELDS, currentTarget.value) ?? 'model');
          setValues([]);
          setText('');
        }}
        data={FILTER_FIELDS.map((each) => ({ value: each, label: FIELD_NAMES[each] }))}
      />
      <NativeSelect
        aria-label="Comparison"
        value={isNot ? 'not' : 'is'}
        onChange={({ currentTarget }) => setNot(currentTarget.value === 'not')}
        data={[
          { value: 'is', label: 'is' },
          { value: 'not', label: 'is not' },
        ]}
      />
      <TagsInput
        className={styles.values ?? ''}
        aria-label="Value"
        placeholder={values.length > 0 ? '' : field === 'tag' ? 'team=search' : 'Value'}
        value={values.map((value) => names.get(value) ?? value)}
        onChange={(shown) => {
          setValues(shown.map(findValue));
          setText('');
        }}
        searchValue={text}
        onSearchChange={setText}
        data={[...new Set(offered.map(({ name }) => name))]}
        limit={OPTIONS_MAX}
        maxTags={VALUES_MAX}
        // Text that is still typed counts as a value when the form is sent.
        acceptValueOnBlur={false}
        // A value may have a comma.
        splitChars={[]}
        // Inside the popover, so that a click on an option does not close it.
        comboboxProps={{ withinPortal: false }}
        data-autofocus
      />
      <Button type="submit" disabled={chosen.length === 0}>
        {' '}
        Apply{' '}
      </Button>
    </form>
  );
}

interface FilterValue {
  readonly value: string;
  /** Display name. */
  readonly name: string;
}

/**
 * Returns the values of a field in the current period, most expensive first; for tags, the keys, and values of the key
 * that was typed.
 */
function useFilterValues(field: FilterField, filter: UsageFilter, typed: string): readonly FilterValue[] {
  const { range, from, to } = filter;
  const { startDate, endDate } = useUsageQuery({
    ...(range && { range }),
    ...(from && { from }),
    ...(to && { to }),
  });
  const tagKey = field === 'tag' ? /^([^=]+)=/.exec(typed)?.[1] : undefined;
  const { data } = useRead('GET /api/mcp/usage/values', { query: { startDate, endDate, tagKey } });
  if (tagKey !== undefined)
    return (data?.tags ?? []).map(({ value }) => toFilterValue({ value: `${tagKey}=${value}` }));
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

function shownValue(field: FilterField, value: string, keyNames: ReadonlyMap<string, string>): string {
  if (field === 'source') return sourceName(value);
  return field === 'key' ? (keyNames.get(value) ?? value) : value;
}
