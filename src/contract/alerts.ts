import { z } from 'zod';
import { ALERT_TYPES, SEVERITIES } from '../domain/alerts/alert.ts';
import { time } from './fields.ts';

export const alert = z
  .object({
    id: z.string(),
    type: z.enum(ALERT_TYPES),
    severity: z.enum(SEVERITIES),
    title: z.string(),
    message: z.string(),
    createdAt: time,
    read: z.boolean(),
    readAt: time.nullable(),
    resolvedAt: time.nullable().meta({ description: 'Time when the incident ended; null = ongoing as far as known' }),
    scope: z
      .record(z.string(), z.string())
      .meta({ description: 'Subject of the alert, for example a limit or a model' }),
    value: z.number().nullable().meta({ description: 'Observed value' }),
    threshold: z.number().nullable().meta({ description: 'Threshold that was exceeded' }),
    period: z
      .object({ start: time, end: time.nullable() })
      .nullable()
      .meta({ description: 'Period of the alert: the window of a limit, the hours of a spike' }),
    evidence: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'Alert' });
export type AlertShape = z.output<typeof alert>;
