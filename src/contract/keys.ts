import { z } from 'zod';
import { wrappedKey } from './usage.ts';

const time = z.string().meta({ format: 'date-time' });

export const wrappedKeyDetail = wrappedKey
  .extend({
    firstCallAt: time.nullable().meta({ description: 'null = no call recorded yet' }),
    lastCallAt: time.nullable(),
  })
  .meta({ id: 'WrappedKeyDetail' });
export type WrappedKeyDetail = z.output<typeof wrappedKeyDetail>;

export const keyClients = z
  .object({
    placeholder: z.string().meta({ description: 'Placeholder for the wrapped key, which Tollbook does not store' }),
    clients: z.array(z.object({ client: z.string(), lines: z.array(z.string()) })),
  })
  .meta({ id: 'KeyClients' });
export type KeyClients = z.output<typeof keyClients>;
