import type { FormFields } from '../../shared/ui/fields.ts';
import type { NewPrice } from './queries.ts';

/** Classes in most contracts; the command line and the API accept all classes. */
export const PRICED_CLASSES = ['input', 'output', 'cacheRead', 'cacheWrite5m', 'cacheWrite1h'] as const;

/** Reads the form. Figures stay text, so that no digit is lost. */
export function readPrice(fields: FormFields): NewPrice {
  const rates = PRICED_CLASSES.map((item) => [item, fields(item)] as const);
  const from = fields('from');
  return {
    provider: fields('provider'),
    model: fields('model'),
    ...(from !== '' && { from }),
    usdPerMillion: Object.fromEntries(rates.filter(([, rate]) => rate !== '')),
  };
}
