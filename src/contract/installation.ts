import { z } from 'zod';
import { LIMIT_UNITS } from '../domain/limits/limit.ts';
import { time } from './fields.ts';

export const backupResult = z
  .object({ folder: z.string(), files: z.array(z.string()), note: z.string().nullable() })
  .meta({ id: 'Backup' });

export const doctorReport = z
  .object({
    ok: z.boolean(),
    checks: z.array(
      z.object({ name: z.string(), state: z.enum(['ok', 'warning', 'failed', 'skipped']), message: z.string() }),
    ),
  })
  .meta({ id: 'DoctorReport' });
export type DoctorReport = z.output<typeof doctorReport>;

export const nodeList = z
  .object({
    shared: z.boolean().meta({ description: 'Several nodes share the limits' }),
    nodes: z.array(
      z.object({
        id: z.string().meta({ description: 'Id of its journal' }),
        name: z.string(),
        version: z.string().meta({ description: "Tollbook's version" }),
        state: z.enum(['running', 'silent', 'stopped']).meta({
          description: 'silent = not stopped, and not seen lately; its last calls are in its journal',
        }),
        startedAt: time,
        seenAt: time,
        stoppedAt: time.nullable(),
        unshippedCalls: z.int().meta({ description: 'Ended calls that are not in the ledger yet' }),
        lagSeconds: z.number().meta({ description: 'Time since all its calls were in the ledger' }),
        grants: z
          .array(
            z.object({
              unit: z.enum(LIMIT_UNITS),
              counters: z.int().meta({ description: 'Counters of limits that it has a part of' }),
              amount: z.number().meta({ description: 'Sum of these parts; dollars for `usd`' }),
            }),
          )
          .meta({ description: 'Parts of limits that it may use, or has used in calls that the ledger does not have' }),
      }),
    ),
  })
  .meta({ id: 'NodeList' });
export type NodeList = z.output<typeof nodeList>;

export const forgottenNode = z
  .object({ id: z.string(), name: z.string(), unshippedCalls: z.int() })
  .meta({ id: 'ForgottenNode' });
export type ForgottenNode = z.output<typeof forgottenNode>;

export const renewedJournal = z.object({ renewed: z.literal(true) }).meta({ id: 'RenewedJournal' });

export const rotatedSecret = z
  .object({ setByOperator: z.boolean().meta({ description: 'Update SVC_SECRET before the next start' }) })
  .meta({ id: 'RotatedSecret' });
export type RotatedSecret = z.output<typeof rotatedSecret>;
