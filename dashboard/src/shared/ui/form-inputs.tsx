import {
  Checkbox,
  type CheckboxProps,
  NativeSelect,
  type NativeSelectProps,
  PasswordInput,
  type PasswordInputProps,
  Textarea,
  type TextareaProps,
  TextInput,
  type TextInputProps,
} from '@mantine/core';
import type { ReactNode } from 'react';
import { useFieldError } from './form.tsx';

/** A line of text in a form, with its error. */
export function TextField(props: TextInputProps): ReactNode {
  return <TextInput {...props} error={useFieldError(props.name)} />;
}

/** A password or key in a form, with its error. */
export function PasswordField(props: PasswordInputProps): ReactNode {
  const error = useFieldError(props.name);
  return <PasswordInput {...props} error={error} aria-invalid={error !== null} />;
}

/** A box to check in a form, with its error. */
export function CheckboxField(props: CheckboxProps): ReactNode {
  return <Checkbox {...props} error={useFieldError(props.name)} />;
}

/** A choice in a form, with its error. */
export function SelectField(props: NativeSelectProps): ReactNode {
  return <NativeSelect {...props} error={useFieldError(props.name)} />;
}

/** Lines of text in a form, with their error. */
export function TextareaField(props: TextareaProps): ReactNode {
  return <Textarea {...props} error={useFieldError(props.name)} />;
}
