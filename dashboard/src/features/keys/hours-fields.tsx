import { Checkbox, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { PolicyShape } from '../../../../src/contract/limits.ts';
import { useWorkspace } from '../../shared/session/session.ts';
import { WEEKDAYS } from './read-rules.ts';

/** Times of the week at which a key may be used; without a begin and an end, always. */
export function HoursFields({ hours }: { readonly hours: PolicyShape['activeHours'] }): ReactNode {
  const { timeZone } = useWorkspace();
  return (
    <fieldset className="plain stack">
      <legend>Only at these hours</legend>
      <div className="row">
        <TextInput name="from" label="From" placeholder="09:00" defaultValue={hours?.from} w="7rem" />
        <TextInput name="until" label="Until" placeholder="18:00" defaultValue={hours?.until} w="7rem" />
        <TextInput name="timeZone" label="Time zone" defaultValue={hours?.timeZone ?? timeZone} />
      </div>
      <div className="row">
        {WEEKDAYS.map((day) => (
          <Checkbox key={day} name={day} value="yes" label={day} defaultChecked={hours?.days.includes(day) ?? false} />
        ))}
      </div>
    </fieldset>
  );
}
