import { PasswordInput } from '@mantine/core';
import type { ReactNode } from 'react';

/** The field `adminKey` of a form. */
export function AdminKeyInput(): ReactNode {
  return (
    <PasswordInput
      name="adminKey"
      label="Admin key"
      description="Made in the provider’s console by an admin of the organization. It is tried out now, kept encrypted, and never shown again."
      autoComplete="off"
      required
    />
  );
}
