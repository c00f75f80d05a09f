import type { FormEvent } from 'react';

/** What stands in the fields of a form, by their names; what is not there is ''. Spaces around it are left out. */
export type FormFields = (name: string) => string;

/** Hands the fields of a form on instead of sending it anywhere. */
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

/**
 * Whether something that is needed holds spaces alone, which the browser takes for text. It is shown there, in the
 * browser's own way.
 */
export function refuseBlank(form: HTMLFormElement): boolean {
  for (const field of form.elements) {
    if (!(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement)) continue;
    if (!field.required || field.value.trim() !== '' || isPassword(field)) continue;
    field.setCustomValidity('Fill this in; there are only spaces.');
    field.addEventListener('input', () => field.setCustomValidity(''), { once: true });
    field.reportValidity();
    return true;
  }
  return false;
}

/** Of a person, who may have chosen spaces; the entrance takes it as it is typed too. */
function isPassword(field: unknown): boolean {
  return field instanceof HTMLInputElement && field.autocomplete.endsWith('-password');
}
