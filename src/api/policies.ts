import { type KeyPolicyShape, type PolicyShape } from '../contract/limits.ts';
import { endpoint } from './http/endpoint.ts';
import { isDeepStrictEqual } from 'node:util';
import { parsePolicy, renderPolicy } from '../domain/policy/parse-policy.ts';
import { OPEN_POLICY, type Policy } from '../domain/policy/policy.ts';
import { computeEtag } from './http/if-match.ts';
import type { WrappedKey } from '../storage/records/key-rows.ts';
import type { Records } from '../storage/records/records.ts';
import type { GatewayNotices } from './gateway-notices.ts';

export interface PolicyServices {
  readonly records: Records;
  readonly gateway: Pick<GatewayNotices, 'keyChanged'>;
}

function keyPolicyView({ id, name, policy }: WrappedKey): KeyPolicyShape {
  return { keyId: id, keyName: name, policy: policyView(policy), etag: computeEtag({ id, policy }) };
}

export function policyView(policy: Policy): PolicyShape {
  const written = renderPolicy(policy);
  return {
    ...written,
    allowedModels: written.allowedModels && [...written.allowedModels],
    deniedModels: [...written.deniedModels],
    requiredTags: Object.fromEntries(
      Object.entries(written.requiredTags).map(([key, values]) => [key, values && [...values]]),
    ),
    requiredNames: [...written.requiredNames],
    allowedAddresses: written.allowedAddresses && [...written.allowedAddresses],
    activeHours: written.activeHours && { ...written.activeHours, days: [...written.activeHours.days] },
  };
}

/** Returns true if a policy forbids and changes nothing. */
export function isOpenPolicy(policy: Policy): boolean {
  return isDeepStrictEqual(policy, OPEN_POLICY);
}

export const listPolicies = endpoint('GET /api/manage/policies', async ({ caller }, { records }: PolicyServices) => {
  const keys = await records.keys.list(caller.workspaceId);
  return keys.filter(({ revokedAt, policy }) => revokedAt === null && !isOpenPolicy(policy)).map(keyPolicyView);
});

export const getPolicy = endpoint(
  'GET /api/manage/policies/{keyId}',
  async ({ caller, path }, { records }: PolicyServices) => {
    return keyPolicyView(await records.keys.get(caller.workspaceId, path.keyId));
  },
);

export const setPolicy = endpoint(
  'PUT /api/manage/policies/{keyId}',
  async ({ caller, path, body, requireMatch }, { records, gateway }: PolicyServices) => {
    const { policy: before } = await records.keys.get(caller.workspaceId, path.keyId);
    const key = await records.keys.setPolicy(
      caller.workspaceId,
      path.keyId,
      parsePolicy(body, before),
      caller.actor,
      (now) => requireMatch(keyPolicyView(now)),
    );
    await gateway.keyChanged(key.id);
    return keyPolicyView(key);
  },
);

export const clearPolicy = endpoint(
  'DELETE /api/manage/policies/{keyId}',
  async ({ caller, path, requireMatch }, { records, gateway }: PolicyServices) => {
    const { workspaceId, actor } = caller;
    const key = await records.keys.setPolicy(workspaceId, path.keyId, OPEN_POLICY, actor, (now) =>
      requireMatch(keyPolicyView(now)),
    );
    await gateway.keyChanged(key.id);
    return keyPolicyView(key);
  },
);
