import type { Policy } from '../policy/policy.ts';

/** Data about a wrapped key that the gateway needs. */
export interface GatewayKey {
  readonly id: string;
  /** SHA-256 of the wrapped key's text, base64url. */
  readonly hash: string;
  readonly workspaceId: string;
  readonly provider: string;
  readonly name: string;
  readonly tags: Readonly<Record<string, string>>;
  /** Epoch ms; null = never. */
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  /** The provider's own key in clear, in memory only; empty where the wrapped key is revoked, or it can't be opened. */
  readonly providerKey: string;
  readonly policy: Policy;
}
