import type { AdminKey } from '../src/storage/records/admin-keys.ts';

/** An admin key whose reports were never read. */
export const ADMIN_KEY: AdminKey = {
  id: 'ak_1',
  workspaceId: 'ws_default',
  provider: 'anthropic',
  name: 'main',
  fingerprint: '',
  lastFour: '',
  organizationId: null,
  organizationName: null,
  createdAt: 0,
  pausedAt: null,
  pausedReason: null,
  nextAt: 0,
  failures: 0,
  problem: null,
};
