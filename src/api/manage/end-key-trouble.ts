import type { Services } from '../services.ts';

/** Somebody saw to an admin key: its alerts are over. */
export async function endKeyTrouble(services: Services, workspaceId: string, adminKeyId: string): Promise<void> {
  const { records, clock, deliveries } = services;
  for (const { episode, scope } of await records.alerts.open(workspaceId, ['KEY_TROUBLE']))
    if (scope['adminKey'] === adminKeyId) await records.alerts.resolve(workspaceId, episode, clock());
  deliveries.start();
}
