import type { NewSubscription } from './use-subscriptions.ts';

/** The form as the service takes it; what was left empty is left out. */
export function readSubscription(form: FormData): NewSubscription {
  const text = (field: string): string | undefined => {
    const value = form.get(field);
    return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
  };
  const [name, provider, monthlyCost, startedAt] = ['name', 'provider', 'monthlyCost', 'startedAt'].map(text);
  return {
    plan: text('plan') ?? name ?? '',
    seats: Number(text('seats') ?? 1),
    ...(name !== undefined && { name }),
    ...(provider !== undefined && { provider }),
    ...(monthlyCost !== undefined && { monthlyCost }),
    ...(startedAt !== undefined && { startedAt }),
  };
}
