import { z } from 'zod';
import { LIMIT_ACTIONS, LIMIT_UNITS, LIMIT_WINDOWS } from '../domain/limits/limit.ts';
import { time } from './fields.ts';

const figure = z.number().nullable().meta({ description: "In the limit's unit; null = not known now" });

export const ownLimit = z.object({
  id: z.string(),
  label: z.string().nullable(),
  description: z.string(),
  window: z.enum(LIMIT_WINDOWS),
  value: z.string().optional(),
  unit: z.enum(LIMIT_UNITS),
  action: z.enum(LIMIT_ACTIONS),
  amount: z.number(),
  held: figure,
  remaining: figure,
  resetsAt: time.nullable(),
  counted: figure,
  uncertain: figure,
  summary: z.string(),
});
export type OwnLimit = z.output<typeof ownLimit>;

/** Answer of the gateway to the holder of a wrapped key at `/api/proxy/limits`. */
export const ownLimits = z.object({ key: z.string(), limits: z.array(ownLimit) });
export type OwnLimits = z.output<typeof ownLimits>;

export const OWN_LIMITS_PATH = '/api/proxy/limits';
