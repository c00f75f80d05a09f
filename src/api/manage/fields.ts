import { z } from 'zod';

/** Fields that several management requests have. What they may hold is checked by the records. */
export const name = z.string().meta({ description: 'For people' });
export const keyTags = z.record(z.string(), z.string()).meta({ description: 'On every call of this key' });
export const expiry = z.string().nullable().meta({ format: 'date-time', description: 'null = never' });
export const timeZone = z.string().meta({ description: 'IANA name, for instance Europe/Berlin' });
export const retentionDays = z.int().min(1).meta({ description: 'Older entries are dropped; reports keep their sums' });
