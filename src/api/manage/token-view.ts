import { iso } from '../../domain/time/period.ts';
import type { AccessToken } from '../../storage/records/records.ts';
import type { AccessTokenShape } from '../../contract/usage.ts';
import { isoOrNull } from '../iso-or-null.ts';

export function tokenView(token: AccessToken): AccessTokenShape {
  return {
    id: token.id,
    name: token.name,
    publicId: token.publicId,
    scopes: [...token.scopes],
    createdAt: iso(token.createdAt),
    madeBy: token.madeBy,
    expiresAt: isoOrNull(token.expiresAt),
    revokedAt: isoOrNull(token.revokedAt),
  };
}
