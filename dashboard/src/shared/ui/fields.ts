import type { FormEvent } from 'react';

/** Returns the trimmed value of a form field by name; '' if it is missing. */
export type FormFields = (name: string) => string;

/** Returns a submit handler of a search form, which passes the fields to `onSubmit`. */
export function useFields(onSubmit: (fields: FormFields) => void): (event: FormEvent<HTMLFormElement>) => void {
  return (event) => {
    event.preventDefault();
    onSubmit(readFormFields(event.currentTarget));
  };
}

/** Reads the fields of a form. */
export function readFormFields(form: HTMLFormElement): FormFields {
  const data = new FormData(form);
  return (name) => {
    const value = data.get(name);
    if (typeof value !== 'string') return '';
    return isPassword(form.elements.namedItem(name)) ? value : value.trim();
  };
}

/** Passwords may contain spaces, so they are never trimmed. */
export function isPassword(field: unknown): boolean {
  return field instanceof HTMLInputElement && field.autocomplete.endsWith('-password');
}
