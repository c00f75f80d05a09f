import { z } from 'zod';

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

export const renewedJournal = z.object({ renewed: z.literal(true) }).meta({ id: 'RenewedJournal' });

export const rotatedSecret = z
  .object({ setByOperator: z.boolean().meta({ description: 'Update SVC_SECRET before the next start' }) })
  .meta({ id: 'RotatedSecret' });
export type RotatedSecret = z.output<typeof rotatedSecret>;
