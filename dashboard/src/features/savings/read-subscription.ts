import type { FormFields } from '../../shared/ui/fields.ts';
import type { NewSubscription } from './queries.ts';

/** The form as the service takes it; what was left empty is left out. */
export function readSubscription(fields: FormFields): NewSubscription {
  const optional = ['name', 'provider', 'monthlyCost', 'startedAt'].map((name) => [name, fields(name)] as const);
  return {
    plan: fields('plan') || fields('name'),
    seats: Number(fields('seats')),
    ...Object.fromEntries(optional.filter(([, text]) => text !== '')),
  };
}
