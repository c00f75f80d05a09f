import { z } from 'zod';
import { wrappedKey } from './contract.ts';

const time = z.string().meta({ format: 'date-time' });

export const wrappedKeyDetail = wrappedKey
  .extend({
    firstCallAt: time.nullable().meta({ description: 'null = none was booked yet' }),
    lastCallAt: time.nullable(),
  })
  .meta({ id: 'WrappedKeyDetail' });
export type WrappedKeyDetail = z.output<typeof wrappedKeyDetail>;
