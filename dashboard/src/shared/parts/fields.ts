import type { FormEvent } from 'react';

/** What stands in the fields of a form, by their names; what is not there is ''. */
export type Fields = (name: string) => string;

/** Hands the fields of a form on instead of sending it anywhere. */
export function useFields(onSubmit: (fields: Fields) => void): (event: FormEvent<HTMLFormElement>) => void {
  return (event) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    onSubmit((name) => {
      const value = data.get(name);
      return typeof value === 'string' ? value.trim() : '';
    });
  };
}
