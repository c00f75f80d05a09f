import type { Alert } from '../../src/domain/alerts/alert.ts';
import { DEFAULT_WORKSPACE } from '../../src/storage/records/context.ts';

/** From where the fast time of the sender is counted. */
export const BEGIN = Date.UTC(2026, 10, 21);
export const SECRET = 'a-master-secret-for-deliveries-0123456789';

export function alertNumber(number: number, at: number): Alert {
  return {
    type: 'COST_SPIKE',
    severity: 'warning',
    workspaceId: DEFAULT_WORKSPACE,
    title: String(number),
    message: `Alert ${number} of many.`,
    episode: `number:${number}`,
    createdAt: at,
    period: null,
    scope: { provider: 'anthropic' },
    value: number,
    threshold: null,
    evidence: { unit: 'usd' },
  };
}
