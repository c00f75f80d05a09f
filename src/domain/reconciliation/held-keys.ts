import { DAY_MS } from '../time/units.ts';

/** A provider key behind wrapped keys of any workspace. */
export interface HeldKey {
  readonly id: string;
  /** In clear; null = it is held no more. */
  readonly key: string | null;
  /** First 8 hex digits of its SHA-256: equal for one key that is held under several ids. */
  readonly fingerprint: string | null;
  /** Kept of one that is held no more; null = nothing is, and calls of its time are still in the book. */
  readonly ends: KeyEnds | null;
  readonly lastFour: string | null;
}

/** What a key begins and ends with. */
export interface KeyEnds {
  readonly head: string;
  readonly tail: string;
}

/** A provider key with all wrapped keys, of any workspace, that stand or stood for it. */
export interface HeldProviderKey extends HeldKey {
  readonly wrappedKeyIds: readonly string[];
  /** Before, and from `heldUntil` on, another key may have stood in its place. null = it still does. */
  readonly heldSince: number;
  readonly heldUntil: number | null;
}

/** Of a shorter key, what is kept would help to guess the rest. */
const KEPT_FROM_CHARACTERS = 40;
const HEAD_CHARACTERS = 20;
const TAIL_CHARACTERS = 4;

/** What is kept of a key for reports of its time: about what its provider shows of it. null = it is too short for that. */
export function keptEnds(key: string): KeyEnds | null {
  if (key.length < KEPT_FROM_CHARACTERS) return null;
  return { head: key.slice(0, HEAD_CHARACTERS), tail: key.slice(-TAIL_CHARACTERS) };
}

/** Those that were held at any time of a UTC day. */
export function heldOn(held: readonly HeldProviderKey[], day: number): HeldProviderKey[] {
  return held.filter((key) => isHeldOn(key, day));
}

function isHeldOn({ heldSince, heldUntil }: HeldProviderKey, day: number): boolean {
  return heldSince < day + DAY_MS && (heldUntil === null || heldUntil > day);
}

/** Which held key a wrapped key stood for on a UTC day, the last of it; null = that is not known. */
export function holders(
  held: readonly HeldProviderKey[],
): (wrappedKeyId: string, day: number) => HeldProviderKey | null {
  const byWrapped = new Map<string, HeldProviderKey[]>();
  for (const key of held.toSorted((a, b) => a.heldSince - b.heldSince))
    for (const id of key.wrappedKeyIds) byWrapped.set(id, [...(byWrapped.get(id) ?? []), key]);
  return (wrappedKeyId, day) => byWrapped.get(wrappedKeyId)?.findLast((key) => isHeldOn(key, day)) ?? null;
}
