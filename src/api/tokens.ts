import { type ListedToken } from '../contract/accounts.ts';
import { endpoint } from './http/endpoint.ts';
import { grantedScopes, managesAll, requireOwn } from './permissions.ts';
import { nameActors, type NameOf } from './audit.ts';
import { toIso } from '../domain/time/period.ts';
import type { AccessTokenShape } from '../contract/tokens.ts';
import { withEtag } from './http/if-match.ts';
import { isoOrNull, readExpiry } from '../contract/fields.ts';
import { parseScopes } from '../domain/identity/access.ts';
import type { AccessToken, RevokedToken } from '../storage/records/tokens.ts';
import type { Records } from '../storage/records/records.ts';
import type { GatewayNotices } from './gateway-notices.ts';
import type { LiveStreams } from './live-streams.ts';

export interface TokenServices {
  readonly records: Records;
  readonly gateway: Pick<GatewayNotices, 'tokenChanged'>;
  readonly live: LiveStreams;
}

function tokenView(token: AccessToken): AccessTokenShape {
  return withEtag({
    id: token.id,
    name: token.name,
    publicId: token.publicId,
    scopes: [...token.scopes],
    createdAt: toIso(token.createdAt),
    createdBy: token.createdBy,
    expiresAt: isoOrNull(token.expiresAt),
    revokedAt: isoOrNull(token.revokedAt),
  });
}

export const listTokens = endpoint('GET /api/manage/tokens', async ({ caller }, { records }: TokenServices) => {
  const tokens = await records.tokens.list(caller.workspaceId);
  const shown = managesAll(caller) ? tokens : tokens.filter(({ createdBy }) => createdBy === caller.actor);
  const actors = shown.flatMap(({ createdBy }) => createdBy ?? []);
  const nameOf = await nameActors(actors, caller.workspaceId, records);
  return shown.map((token) => listedView(token, nameOf));
});

function listedView(token: AccessToken, nameOf: NameOf): ListedToken {
  return { ...tokenView(token), createdByName: token.createdBy && nameOf(token.createdBy) };
}

export const createToken = endpoint(
  'POST /api/manage/tokens',
  async ({ caller, body }, { records, gateway }: TokenServices) => {
    const { token, secret, hash } = await records.tokens.create(
      {
        workspaceId: caller.workspaceId,
        name: body.name,
        scopes: grantedScopes(caller, parseScopes(body.scopes), body.scopes.length === 0),
        expiresAt: readExpiry(body.expiresAt, 'expiresAt'),
      },
      caller.actor,
    );
    gateway.tokenChanged(hash, true);
    return { id: token.id, name: token.name, scopes: [...token.scopes], token: secret };
  },
);

export const revokeToken = endpoint(
  'DELETE /api/manage/tokens/{id}',
  async ({ caller, path, requireMatch }, { records, gateway, live }: TokenServices) => {
    requireOwn(caller, await records.tokens.get(caller.workspaceId, path.id));
    const { token, hash } = await records.tokens.revoke(caller.workspaceId, path.id, caller.actor, (now) =>
      requireMatch(tokenView(now)),
    );
    gateway.tokenChanged(hash, false);
    live.dismiss(token.id, null);
    return tokenView(token);
  },
);

/**
 * Ends the access of tokens that were revoked because their creator lost the right to them: closes their streams, and
 * the gateway forgets them.
 */
export function announceRevokedTokens(
  revoked: readonly RevokedToken[],
  { gateway, live }: Pick<TokenServices, 'gateway' | 'live'>,
): void {
  for (const { id, hash } of revoked) {
    gateway.tokenChanged(hash, false);
    live.dismiss(id, null);
  }
}
