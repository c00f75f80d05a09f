import {
  createContext,
  type FormEvent,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { errorText } from '../api/api-error.ts';
import { type FormFields, readFormFields } from './fields.ts';
import {
  controlName,
  errorField,
  type FieldErrors,
  findControl,
  findInvalidFields,
  focusControl,
} from './form-errors.ts';
import { ErrorNote } from './note.tsx';

interface FormState {
  readonly errors: FieldErrors;
  /** Error of the last attempt that no field shows; null = none. */
  readonly error: unknown;
  /** Called by a field that shows its errors; returns a function that takes it back. */
  readonly announce: (field: string) => () => void;
}

const FormContext = createContext<FormState>({ errors: {}, error: null, announce: () => () => undefined });

const NO_ERRORS: FieldErrors = {};

interface FormProps {
  /** Called with the fields if all are valid. */
  readonly onSubmit: (fields: FormFields) => void;
  /** Error of the last attempt; null or undefined = none. */
  readonly error: unknown;
  readonly className?: string | undefined;
  /** Named fields, a `FormError`, and a button that submits. */
  readonly children: ReactNode;
}

/** A form that marks invalid fields, says what to enter, and focuses the first of them. */
export function Form({ onSubmit, error = null, className = 'stack', children }: FormProps): ReactNode {
  const form = useRef<HTMLFormElement>(null);
  const [errors, setErrors] = useState(NO_ERRORS);
  // An error is done with once a field shows it, or another attempt was refused by the form itself.
  const [settled, setSettled] = useState<unknown>(null);
  const [fields] = useState(() => new Set<string>());
  const announce = useCallback(
    (field: string) => {
      fields.add(field);
      return () => void fields.delete(field);
    },
    [fields],
  );
  useLayoutEffect(() => {
    const field = errorField(error);
    const control = field !== null && fields.has(field) && form.current ? findControl(form.current, field) : undefined;
    if (field === null || control === undefined) {
      // The button that submitted was disabled meanwhile, which takes its focus.
      if (error !== null && document.activeElement === document.body) focusSubmit(form.current);
      return;
    }
    setErrors({ [field]: errorText(error) });
    setSettled(error);
    focusControl(control);
  }, [error, fields]);
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const invalid = findInvalidFields(event.currentTarget);
    const [first] = Object.keys(invalid);
    setErrors(invalid);
    if (first === undefined) return onSubmit(readFormFields(event.currentTarget));
    setSettled(error);
    focusControl(findControl(event.currentTarget, first));
  };
  const state = useMemo(
    () => ({ errors, error: error === settled ? null : error, announce }),
    [errors, error, settled, announce],
  );
  return (
    <FormContext value={state}>
      <form
        ref={form}
        className={className}
        noValidate
        onSubmit={submit}
        onChange={({ target }) => setErrors((before) => withoutField(before, controlName(target)))}
      >
        {children}
      </form>
    </FormContext>
  );
}

function focusSubmit(form: HTMLFormElement | null): void {
  form?.querySelector<HTMLElement>('[type=submit]')?.focus();
}

function withoutField(errors: FieldErrors, field: string): FieldErrors {
  if (!(field in errors)) return errors;
  return Object.fromEntries(Object.entries(errors).filter(([name]) => name !== field));
}

/** Returns the error of a field of the form around it; null = none. */
export function useFieldError(field: string | undefined): string | null {
  const { errors, announce } = useContext(FormContext);
  useEffect(() => (field === undefined ? undefined : announce(field)), [field, announce]);
  return field === undefined ? null : (errors[field] ?? null);
}

interface FormErrorProps {
  /** Shows an error; default: its message. */
  readonly children?: (error: unknown) => ReactNode;
}

/** The error of the last attempt, if no field shows it. */
export function FormError({ children }: FormErrorProps): ReactNode {
  const { error } = useContext(FormContext);
  if (error === null || error === undefined) return null;
  return children ? children(error) : <ErrorNote error={error} />;
}
