import type { FormEvent } from 'react';

/** What stands in the fields of a form, by their names; what is not there is ''. */
export type Fields = (name: string) => string;

/** Hands the fields of a form on instead of sending it anywhere. */
export function useFields(onSubmit: (fields: Fields) => void): (event: FormEvent<HTMLFormElement>) => void {
  return (event) => {
    event.preventDefault();
    if (refuseBlank(event.currentTarget)) return;
    const data = new FormData(event.currentTarget);
    onSubmit((name) => {
      const value = data.get(name);
      return typeof value === 'string' ? value.trim() : '';
    });
  };
}

/**
 * Whether something that is needed holds spaces alone, which the browser takes for text. It is shown there, in the
 * browser's own way. Passwords may be spaces, for all we know.
 */
export function refuseBlank(form: HTMLFormElement): boolean {
  for (const field of form.elements) {
    if (!(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement)) continue;
    if (!field.required || field.value.trim() !== '' || field.autocomplete.endsWith('password')) continue;
    field.setCustomValidity('Fill this in; there are only spaces.');
    field.addEventListener('input', () => field.setCustomValidity(''), { once: true });
    field.reportValidity();
    return true;
  }
  return false;
}
