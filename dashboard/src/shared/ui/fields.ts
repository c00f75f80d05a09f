import type { FormEvent } from 'react';

/** Returns the trimmed value of a form field by name; '' if it is missing. */
export type FormFields = (name: string) => string;

/** Returns a submit handler that passes the fields to `onSubmit`. */
export function useFields(onSubmit: (fields: FormFields) => void): (event: FormEvent<HTMLFormElement>) => void {
  return (event) => {
    event.preventDefault();
    if (refuseBlank(event.currentTarget)) return;
    const form = event.currentTarget;
    const data = new FormData(form);
    onSubmit((name) => {
      const value = data.get(name);
      if (typeof value !== 'string') return '';
      return isPassword(form.elements.namedItem(name)) ? value : value.trim();
    });
  };
}

/** Reports a required field that has only spaces, which the browser accepts. Returns true if there is one. */
export function refuseBlank(form: HTMLFormElement): boolean {
  for (const field of form.elements) {
    if (!(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement)) continue;
    if (!field.required || field.value.trim() !== '' || isPassword(field)) continue;
    field.setCustomValidity('Enter a value, not only spaces.');
    field.addEventListener('input', () => field.setCustomValidity(''), { once: true });
    field.reportValidity();
    return true;
  }
  return false;
}

/** Passwords may contain spaces, so they are never trimmed. */
function isPassword(field: unknown): boolean {
  return field instanceof HTMLInputElement && field.autocomplete.endsWith('-password');
}
