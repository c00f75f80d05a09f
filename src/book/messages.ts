import type { Alert } from '../core/alert.ts';
import type { RateCard } from '../core/price.ts';

/** What the gate must know of a wrapped key, kept in memory by the gate thread. */
export interface GateKey {
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
  /** The provider's own key in clear; lives in memory only. */
  readonly providerKey: string;
}

/** An OpenAI-compatible provider that the operator added. */
export interface CustomProvider {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  /** Whose prices apply; null = only the user's own. */
  readonly priceProvider: string | null;
}

/** Book thread → gate thread. */
export type ToGate =
  | { readonly type: 'ready'; readonly keys: readonly GateKey[]; readonly tokenHashes: readonly string[]; readonly userCards: readonly WorkspaceCard[] }
  | { readonly type: 'failed'; readonly message: string }
  | { readonly type: 'key'; readonly key: GateKey }
  | { readonly type: 'token'; readonly hash: string; readonly live: boolean }
  | { readonly type: 'prices'; readonly userCards: readonly WorkspaceCard[] }
  | { readonly type: 'shipped'; readonly mark: number }
  | { readonly type: 'closed' };

/** Gate thread → book thread. */
export type ToBook =
  | { readonly type: 'committed'; readonly endSeq: number }
  | { readonly type: 'alert'; readonly alert: Alert }
  | { readonly type: 'close' };

/** A price of the user's own, for one workspace. */
export interface WorkspaceCard {
  readonly workspaceId: string;
  readonly card: RateCard;
}
