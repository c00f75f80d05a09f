import { PasswordInput, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';

const PASSWORD_LENGTH_MIN = 12;
const PASSWORD_LENGTH_MAX = 128;

/** Name, address and password of somebody who has no account yet. */
export function NewCredentials({ email }: { readonly email?: string | null }): ReactNode {
  return (
    <>
      <TextInput name="name" label="Your name" autoComplete="name" required autoFocus />
      <TextInput
        name="email"
        type="email"
        label="E-mail"
        description="To sign in with. Nothing is sent to it."
        autoComplete="username"
        required
        {...(email ? { defaultValue: email, readOnly: true } : {})}
      />
      <PasswordInput
        name="password"
        label="Password"
        description={`At least ${PASSWORD_LENGTH_MIN} characters. A few words in a row are good.`}
        autoComplete="new-password"
        required
        minLength={PASSWORD_LENGTH_MIN}
        maxLength={PASSWORD_LENGTH_MAX}
      />
    </>
  );
}
