import type { ReactNode } from 'react';
import { Icon } from '../theme/icon.tsx';
import styles from './filter-bar.module.css';
import { FilterMenu } from './filter-menu.tsx';
import { PeriodSelect } from './period-select.tsx';
import { FIELD_NAMES, FILTER_FIELDS, type FilterField, type UsageFilter } from './usage-filter.ts';

interface FilterBarProps {
  readonly filter: UsageFilter;
  readonly onChange: (changes: Readonly<Record<string, string | undefined>>) => void;
  /** Names of wrapped keys by their id. */
  readonly keyNames: ReadonlyMap<string, string>;
}

/** What is looked at. Everything chosen here stands in the address, so that the view can be shared. */
export function FilterBar({ filter, onChange, keyNames }: FilterBarProps): ReactNode {
  const set = FILTER_FIELDS.filter((field) => filter[field] !== undefined);
  return (
    <div className={styles.bar} role="group" aria-label="Filters">
      <PeriodSelect choice={filter} onChange={onChange} />
      {set.map((field) => (
        <span key={field} className={styles.chip}>
          <span className="soft">{FIELD_NAMES[field]}</span>
          <span className={styles.value}>{shownValue(field, filter[field] ?? '', keyNames)}</span>
          <button
            type="button"
            aria-label={`Remove the filter ${FIELD_NAMES[field]}`}
            onClick={() => onChange({ [field]: undefined })}
          >
            <Icon name="close" size={14} />
          </button>
        </span>
      ))}
      <FilterMenu filter={filter} onChange={onChange} />
    </div>
  );
}

function shownValue(field: FilterField, value: string, keyNames: ReadonlyMap<string, string>): string {
  return field === 'key' ? (keyNames.get(value) ?? value) : value;
}
