import { passedShare } from '../../domain/reconciliation/coverage.ts';
import { iso } from '../../domain/time/period.ts';
import type { AdminKey } from '../../storage/records/admin-key-records.ts';
import type { AdminKeyShape } from '../../contract/admin-keys.ts';
import { isoOrNull } from '../iso-or-null.ts';
import type { ReportProgress, Services } from '../services.ts';

/** Never with the key. */
export async function adminKeyView(
  key: AdminKey,
  { providerReports: organizations, records }: Services,
): Promise<AdminKeyShape> {
  const { readAt, days, of, coverage } = await organizations.progress(key);
  return {
    id: key.id,
    name: key.name,
    provider: key.provider,
    organization: { id: key.organizationId, name: key.organizationName },
    readElsewhere: await records.adminKeys.isReadElsewhere(key),
    fingerprint: key.fingerprint,
    lastFour: key.lastFour,
    createdAt: iso(key.createdAt),
    state: adminKeyState(key, { days, of }),
    pausedAt: isoOrNull(key.pausedAt),
    problem: key.pausedBecause ?? key.problem,
    nextAt: key.pausedAt === null ? iso(Math.max(key.nextAt, key.createdAt)) : null,
    readAt: isoOrNull(readAt),
    backfill: { days, of },
    passedShare: passedShare(coverage),
  };
}

/** One attempt that fails is no trouble yet. */
const FAILURES_OF_TROUBLE = 3;

function adminKeyState(
  { pausedAt, failures }: AdminKey,
  { days, of }: Pick<ReportProgress, 'days' | 'of'>,
): AdminKeyShape['state'] {
  if (pausedAt !== null) return 'paused';
  if (failures >= FAILURES_OF_TROUBLE) return 'failing';
  return days < of ? 'reading' : 'waiting';
}
