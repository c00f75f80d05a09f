import type { AlertType } from '../../domain/alerts/alert.ts';
import type { Services } from '../services.ts';

/** Somebody saw to an admin key: its alerts are over. `types`: which. */
export async function resolveAdminKeyAlerts(
  services: Services,
  workspaceId: string,
  adminKeyId: string,
  types: readonly AlertType[] = ['KEY_TROUBLE'],
): Promise<void> {
  const { records, clock, deliveries } = services;
  for (const { episode, scope } of await records.alerts.open(workspaceId, types))
    if (scope['adminKey'] === adminKeyId) await records.alerts.resolve(workspaceId, episode, clock());
  deliveries.start();
}
