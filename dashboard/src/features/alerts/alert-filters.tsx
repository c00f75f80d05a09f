import { Checkbox, NativeSelect } from '@mantine/core';
import type { ReactNode } from 'react';
import { ALERT_TYPES, ALERT_TYPE_NAMES } from '../../shared/names/alert-types.ts';
import { SEVERITIES } from './alert-words.ts';
import type { AlertsAddress } from './alerts-address.ts';

interface AlertFiltersProps {
  readonly search: AlertsAddress;
  readonly onChange: (changes: Readonly<Record<string, string | undefined>>) => void;
}

export function AlertFilters({ search, onChange }: AlertFiltersProps): ReactNode {
  const { unreadOnly, type, severity } = search;
  return (
    <div className="row">
      <NativeSelect
        aria-label="Severity"
        value={severity ?? ''}
        onChange={({ currentTarget }) => onChange({ severity: currentTarget.value || undefined })}
        data={[{ value: '', label: 'Every severity' }, ...SEVERITIES]}
      />
      <NativeSelect
        aria-label="Type"
        value={type ?? ''}
        onChange={({ currentTarget }) => onChange({ type: currentTarget.value || undefined })}
        data={[
          { value: '', label: 'Every type' },
          ...ALERT_TYPES.map((each) => ({ value: each, label: ALERT_TYPE_NAMES[each] })),
        ]}
      />
      <Checkbox
        label="Unread only"
        checked={unreadOnly}
        onChange={({ currentTarget }) => onChange({ show: currentTarget.checked ? 'unread' : undefined })}
      />
    </div>
  );
}
