import { Checkbox, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import type { PolicyShape } from '../../../../src/contract/limits.ts';
import { REQUIRED_CONTEXT, requiredNameField } from './policy-rules.ts';
import { TextField } from '../../shared/ui/form-inputs.tsx';

/** Rules about the sessions and runs that calls name. */
export function ContextRuleFields({
  requiredNames,
  maxSessionsPerHour,
}: Pick<PolicyShape, 'requiredNames' | 'maxSessionsPerHour'>): ReactNode {
  return (
    <>
      <Checkbox.Group
        label="Required context"
        description="Calls that do not name these are refused."
        defaultValue={[...requiredNames]}
      >
        <Group mt="xs">
          {REQUIRED_CONTEXT.map(({ name, label }) => (
            <Checkbox key={name} name={requiredNameField(name)} value={name} label={label} />
          ))}
        </Group>
      </Checkbox.Group>
      <TextField
        name="maxSessionsPerHour"
        label="New sessions per hour"
        description="Calls of further new sessions are refused. Leave empty for no maximum."
        inputMode="numeric"
        pattern="[0-9]*"
        defaultValue={maxSessionsPerHour ?? ''}
      />
    </>
  );
}
