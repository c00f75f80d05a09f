import type { FormFields } from '../../shared/ui/fields.ts';
import type { NewSubscription } from './queries.ts';

/** Reads the form and leaves out empty fields. */
export function readSubscription(fields: FormFields): NewSubscription {
  const optional = ['name', 'provider', 'monthlyCost', 'startedAt'].map((name) => [name, fields(name)] as const);
  return {
    plan: fields('plan') || fields('name'),
    seats: Number(fields('seats')),
    ...Object.fromEntries(optional.filter(([, text]) => text !== '')),
  };
}
