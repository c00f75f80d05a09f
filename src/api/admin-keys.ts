import { type AdminKeyShape } from '../contract/admin-keys.ts';
import { endpoint } from './http/endpoint.ts';
import { computeEtag } from './http/if-match.ts';
import { throughGatewayShare } from '../domain/reconciliation/coverage.ts';
import { toIso } from '../domain/time/period.ts';
import type { AdminKey } from '../storage/records/admin-keys.ts';
import { isoOrNull } from '../contract/fields.ts';
import { TollbookError } from '../domain/errors.ts';
import type { AlertType } from '../domain/alerts/alert.ts';
import type { Clock } from '../lib/clock.ts';
import type { Records } from '../storage/records/records.ts';
import type { DeliverySender } from './webhooks.ts';
import type { ProviderReportService } from './provider-reports.ts';
import type { ReportProgress } from './provider-reports.ts';

export interface AdminKeyServices {
  readonly clock: Clock;
  readonly records: Records;
  readonly deliveries: DeliverySender;
  readonly providerReports: ProviderReportService;
}

/** Resolves the alerts of an admin key that a person has changed. `types`: the types to resolve. */
async function resolveAdminKeyAlerts(
  services: Pick<AdminKeyServices, 'records' | 'clock' | 'deliveries'>,
  workspaceId: string,
  adminKeyId: string,
  types: readonly AlertType[] = ['KEY_PROBLEM'],
): Promise<void> {
  const { records, clock, deliveries } = services;
  for (const { episode, scope } of await records.alerts.open(workspaceId, types))
    if (scope['adminKey'] === adminKeyId) await records.alerts.resolve(workspaceId, episode, clock());
  deliveries.start();
}

/** Describes an admin key without its secret. */
async function adminKeyView(
  key: AdminKey,
  { providerReports: organizations, records }: Pick<AdminKeyServices, 'providerReports' | 'records'>,
): Promise<AdminKeyShape> {
  const { readAt, days, of, coverage } = await organizations.progress(key);
  return {
    id: key.id,
    name: key.name,
    provider: key.provider,
    organization: { id: key.organizationId, name: key.organizationName },
    sharedWithOtherWorkspaces: await records.adminKeys.isReadElsewhere(key),
    fingerprint: key.fingerprint,
    lastFour: key.lastFour,
    createdAt: toIso(key.createdAt),
    state: adminKeyState(key, { days, of }),
    pausedAt: isoOrNull(key.pausedAt),
    problem: key.pausedReason ?? key.problem,
    nextSyncAt: key.pausedAt === null ? toIso(Math.max(key.nextAt, key.createdAt)) : null,
    lastSyncAt: isoOrNull(readAt),
    progress: { daysDone: days, daysTotal: of },
    throughGatewayShare: throughGatewayShare(coverage),
    etag: adminKeyEtag(key),
  };
}

function adminKeyEtag({ id, name, fingerprint, organizationId, pausedAt, pausedReason }: AdminKey): string {
  return computeEtag({ id, name, fingerprint, organizationId, pausedAt, pausedReason });
}

/** Failed attempts in a row after which an admin key counts as failing. */
const FAILURES_MIN = 3;

function adminKeyState(
  { pausedAt, failures }: AdminKey,
  { days, of }: Pick<ReportProgress, 'days' | 'of'>,
): AdminKeyShape['state'] {
  if (pausedAt !== null) return 'paused';
  if (failures >= FAILURES_MIN) return 'failing';
  return days < of ? 'syncing' : 'idle';
}

export const listAdminKeys = endpoint('GET /api/manage/admin-keys', async ({ caller }, services: AdminKeyServices) => {
  const keys = await services.records.adminKeys.list(caller.workspaceId);
  return await Promise.all(keys.map((key) => adminKeyView(key, services)));
});

export const createAdminKey = endpoint(
  'POST /api/manage/admin-keys',
  async ({ caller: { workspaceId, actor }, body }, services: AdminKeyServices) => {
    const { records, providerReports: organizations } = services;
    const key = body.adminKey.trim();
    const organization = await organizations.identifyOrganization(body.provider, key);
    const created = await records.adminKeys.create(
      {
        workspaceId,
        provider: body.provider,
        name: body.name,
        key,
        organizationId: organization.id,
        organizationName: organization.name,
      },
      actor,
    );
    organizations.start();
    return await adminKeyView(created, services);
  },
);

export const updateAdminKey = endpoint(
  'PATCH /api/manage/admin-keys/{id}',
  async ({ caller: { workspaceId, actor }, path: { id }, body, requireMatch }, services: AdminKeyServices) => {
    const { adminKeys } = services.records;
    const check = (now: AdminKey) => requireMatch({ etag: adminKeyEtag(now) });
    if (body.paused) return await adminKeyView(await adminKeys.pause(workspaceId, id, null, actor, check), services);
    const resumed = await adminKeys.resume(workspaceId, id, actor, check);
    await resolveAdminKeyAlerts(services, workspaceId, id);
    services.providerReports.start();
    return await adminKeyView(resumed, services);
  },
);

export const replaceAdminKey = endpoint(
  'POST /api/manage/admin-keys/{id}/replace',
  async ({ caller: { workspaceId, actor }, path: { id }, body, requireMatch }, services: AdminKeyServices) => {
    const { records, providerReports: organizations } = services;
    const { provider } = await records.adminKeys.get(workspaceId, id);
    const key = body.adminKey.trim();
    const { id: organizationId, name: organizationName } = await organizations.identifyOrganization(provider, key);
    const replaced = { key, organizationId, organizationName };
    const changed = await records.adminKeys.replace(workspaceId, id, replaced, actor, (now) =>
      requireMatch({ etag: adminKeyEtag(now) }),
    );
    await resolveAdminKeyAlerts(services, workspaceId, id);
    organizations.start();
    return await adminKeyView(changed, services);
  },
);

export const removeAdminKey = endpoint(
  'DELETE /api/manage/admin-keys/{id}',
  async ({ caller: { workspaceId, actor }, path: { id }, requireMatch }, services: AdminKeyServices) => {
    await services.records.adminKeys.remove(workspaceId, id, actor, (now) => requireMatch({ etag: adminKeyEtag(now) }));
    await resolveAdminKeyAlerts(services, workspaceId, id, ['KEY_PROBLEM', 'COVERAGE']);
    // The next turn drops its rows.
    services.providerReports.start();
    return { removed: id };
  },
);

export const syncAdminKey = endpoint(
  'POST /api/manage/admin-keys/{id}/sync',
  async ({ caller, path: { id } }, { records, providerReports: organizations }: AdminKeyServices) => {
    const { adminKeys } = records;
    const { name, pausedAt, failures, problem } = await adminKeys.get(caller.workspaceId, id);
    if (pausedAt !== null)
      throw new TollbookError(
        'unprocessable',
        `The admin key "${name}" is paused. Resume it: tollbook admin-keys resume ${id}`,
      );
    // Requested first: a run that is just ending sees it and starts another one.
    const runs = organizations.sync(id);
    await adminKeys.recordAttempt(id, { nextAt: 0, failures, problem });
    organizations.start();
    return { id, started: runs };
  },
);
