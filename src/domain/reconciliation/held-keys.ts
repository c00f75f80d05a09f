import { DAY_MS } from '../time/units.ts';

/** A provider key behind wrapped keys of any workspace. */
export interface HeldKey {
  readonly id: string;
  /** The key itself; null = no longer held. */
  readonly key: string | null;
  /** First 8 hex digits of its SHA-256: equal for one key that is held under several ids. */
  readonly fingerprint: string | null;
  /** First and last characters of a key that is no longer held; null = none, although the ledger has its calls. */
  readonly ends: KeyEnds | null;
  readonly lastFour: string | null;
}

/** First and last characters of a key. */
export interface KeyEnds {
  readonly head: string;
  readonly tail: string;
}

/** A provider key with all wrapped keys, of any workspace, that use or used it. */
export interface HeldProviderKey extends HeldKey {
  readonly wrappedKeyIds: readonly string[];
  /** Before, and from `heldUntil` on, another key may have stood in its place. null = it still does. */
  readonly heldSince: number;
  readonly heldUntil: number | null;
}

/** Shorter keys keep no characters, which would help to guess the rest. */
const KEPT_FROM_CHARACTERS = 40;
const HEAD_CHARACTERS = 20;
const TAIL_CHARACTERS = 4;

/**
 * Returns the characters of a key to keep for later reports, about as many as its provider shows. null = the key is too
 * short.
 */
export function keptEnds(key: string): KeyEnds | null {
  if (key.length < KEPT_FROM_CHARACTERS) return null;
  return { head: key.slice(0, HEAD_CHARACTERS), tail: key.slice(-TAIL_CHARACTERS) };
}

/** Returns the keys that were held at any time of a UTC day. */
export function heldOn(held: readonly HeldProviderKey[], day: number): HeldProviderKey[] {
  return held.filter((key) => isHeldOn(key, day));
}

function isHeldOn({ heldSince, heldUntil }: HeldProviderKey, day: number): boolean {
  return heldSince < day + DAY_MS && (heldUntil === null || heldUntil > day);
}

/** Returns a lookup of the key that a wrapped key last used on a UTC day; null = unknown. */
export function holders(
  held: readonly HeldProviderKey[],
): (wrappedKeyId: string, day: number) => HeldProviderKey | null {
  const byWrapped = new Map<string, HeldProviderKey[]>();
  for (const key of held.toSorted((a, b) => a.heldSince - b.heldSince))
    for (const id of key.wrappedKeyIds) byWrapped.set(id, [...(byWrapped.get(id) ?? []), key]);
  return (wrappedKeyId, day) => byWrapped.get(wrappedKeyId)?.findLast((key) => isHeldOn(key, day)) ?? null;
}
