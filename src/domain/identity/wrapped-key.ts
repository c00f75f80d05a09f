import type { Policy } from '../policy/policy.ts';

/**
 * Credential that calls of a wrapped key send to the provider: the stored provider key, or the login of the client's own
 * subscription, which the client sends with each call.
 */
export const KEY_CREDENTIALS = ['provider_key', 'subscription'] as const;
export type KeyCredential = (typeof KEY_CREDENTIALS)[number];

/** Data about a wrapped key that the gateway needs. */
export interface GatewayKey {
  readonly id: string;
  /** SHA-256 of the wrapped key's text, base64url. */
  readonly hash: string;
  readonly workspaceId: string;
  readonly provider: string;
  readonly name: string;
  readonly credential: KeyCredential;
  readonly tags: Readonly<Record<string, string>>;
  /** Epoch ms; null = never. */
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  /**
   * The provider's own key in clear, in memory only; empty where the wrapped key is revoked, has no provider key, or the
   * provider key can't be opened.
   */
  readonly providerKey: string;
  readonly policy: Policy;
}
