import type { Alert } from '../domain/alerts/alert.ts';
import type { GatewayKey } from '../domain/identity/wrapped-key.ts';

/**
 * Builds the alert for a provider key that can't be decrypted. Calls with its wrapped key are refused until it is
 * replaced.
 */
export function unreadableKeyAlert({ id, name, workspaceId, provider }: GatewayKey, createdAt: number): Alert {
  return {
    type: 'KEY_PROBLEM',
    severity: 'critical',
    workspaceId,
    title: `The key ${name} can't be used`,
    message: `The provider key behind the wrapped key "${name}" (${provider}) can't be opened: it was changed outside Tollbook. Its calls are refused. Replace it on the page of the key in the dashboard, or with: tollbook keys replace; or restore a backup.`,
    episode: `unopened:${id}:${createdAt}`,
    createdAt,
    scope: { key: id },
    value: null,
    threshold: null,
    period: null,
    evidence: {},
  };
}
