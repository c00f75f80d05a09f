import { ApiError } from '../api/api-error.ts';
import { isPassword } from './fields.ts';

/** Messages by field. */
export type FieldErrors = Readonly<Record<string, string>>;

/** A value that the form itself refuses when it is sent. */
export class FieldError extends Error {
  override readonly name = 'FieldError';
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}

/** Returns the field that an error is about; null = none. */
export function errorField(error: unknown): string | null {
  if (error instanceof FieldError) return error.field;
  return error instanceof ApiError ? error.param : null;
}

type FormControl = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

function isControl(element: Element): element is FormControl {
  return (
    element instanceof HTMLInputElement ||
    element instanceof HTMLTextAreaElement ||
    element instanceof HTMLSelectElement
  );
}

/** Returns the name of a control; one whose value is in a hidden field has it as `data-field`. */
export function controlName(control: EventTarget | Element | null): string {
  return control instanceof HTMLElement && isControl(control) ? (control.dataset['field'] ?? control.name) : '';
}

/** Finds the visible control of a field. */
export function findControl(form: HTMLFormElement, field: string): HTMLElement | undefined {
  return [...form.elements].filter(isControl).find((each) => each.type !== 'hidden' && controlName(each) === field);
}

/** Finds the invalid fields of a form, in order. */
export function findInvalidFields(form: HTMLFormElement): FieldErrors {
  const errors: Record<string, string> = {};
  for (const control of [...form.elements].filter(isControl)) {
    const [name, message] = [controlName(control), control.willValidate ? describeInvalid(control) : null];
    if (name !== '' && message !== null) errors[name] ??= message;
  }
  return errors;
}

/** Says what to enter; null = the value is valid. */
function describeInvalid(control: FormControl): string | null {
  const { validity, value } = control;
  if (validity.customError) return control.validationMessage;
  if (control.required && (isPassword(control) ? value : value.trim()) === '')
    return control instanceof HTMLSelectElement ? 'Choose a value.' : 'Enter a value.';
  if (control instanceof HTMLSelectElement || validity.valid) return null;
  if (validity.tooShort) return `Enter at least ${control.minLength} characters.`;
  if (validity.typeMismatch && control.type === 'email') return 'Enter an email address.';
  if (validity.patternMismatch || validity.badInput || validity.stepMismatch) return 'Enter a whole number.';
  if (validity.rangeUnderflow && control instanceof HTMLInputElement) return `Enter ${control.min} or more.`;
  return control.validationMessage;
}

/** Focuses a control, and opens the section around it. */
export function focusControl(control: HTMLElement | undefined): void {
  for (let section = control?.closest('details'); section; section = section.parentElement?.closest('details'))
    section.open = true;
  control?.focus();
}
