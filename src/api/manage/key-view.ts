import { iso } from '../../domain/time/period.ts';
import type { WrappedKey } from '../../storage/records/records.ts';
import type { WrappedKeyShape } from '../../contract/usage.ts';
import { isoOrNull } from '../iso-or-null.ts';

export function wrappedKeyView(key: WrappedKey): WrappedKeyShape {
  const { fingerprint, lastFour, setAt, usedBy } = key.providerKey;
  return {
    id: key.id,
    name: key.name,
    provider: key.provider,
    publicId: key.publicId,
    tags: key.tags,
    createdAt: iso(key.createdAt),
    madeBy: key.madeBy,
    expiresAt: isoOrNull(key.expiresAt),
    revokedAt: isoOrNull(key.revokedAt),
    providerKey: { fingerprint, lastFour, setAt: iso(setAt), usedBy },
  };
}
