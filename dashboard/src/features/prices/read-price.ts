import type { NewPrice } from './use-prices.ts';

/** Classes that most contracts name; the command line and the API take all there are. */
export const PRICED_CLASSES = ['input', 'output', 'cacheRead', 'cacheWrite5m', 'cacheWrite1h'] as const;

/** The form as the service takes it: figures stay text, so that no digit is lost. */
export function readPrice(form: FormData): NewPrice {
  const text = (field: string): string => {
    const value = form.get(field);
    return typeof value === 'string' ? value.trim() : '';
  };
  const rates = PRICED_CLASSES.map((item) => [item, text(item)] as const);
  const from = text('from');
  return {
    provider: text('provider'),
    model: text('model'),
    ...(from !== '' && { from }),
    usdPerMillion: Object.fromEntries(rates.filter(([, rate]) => rate !== '')),
  };
}
