import type { HeldKey, KeyEnds } from './held-keys.ts';

/**
 * Matches keys of an organization's report with held provider keys by their first and last characters, which providers
 * show. Keys go in, only ids come out.
 */

/** A key as a report knows it. */
interface HintedKey {
  readonly id: string;
  /** `sk-ant-api03-R2D...igAA`; null = the provider does not show it. */
  readonly hint: string | null;
}

/**
 * Result for a reported key:
 * - `none`     no held key has these characters: it was never wrapped, as far as is known
 * - `one`      one key, held under one id or several
 * - `several`  several held or reported keys look alike
 * - `unknown`  the hint is missing or too short, or may be that of a removed key without kept ends
 */
export type KeyMatch =
  | { readonly is: 'none' | 'unknown' }
  | { readonly is: 'one'; readonly heldIds: readonly string[] }
  | { readonly is: 'several'; readonly heldIds: readonly string[]; readonly hintedIds: readonly string[] };

/** Fewer shown characters than this would fit any key of the provider. */
const SHOWN_CHARACTERS_MIN = 8;
const HINT = /^([^.…*]+)(?:\.{3,}|…|\*{2,})([^.…*]+)$/;

/** Matches all keys of one provider at the same time, which is needed to find lookalikes. Keyed by reported id. */
export function matchProviderKeys(hinted: readonly HintedKey[], held: readonly HeldKey[]): Map<string, KeyMatch> {
  const keys = [...Map.groupBy(held, keyIdentity).values()];
  const lost = held.filter(({ key, ends }) => key === null && ends === null);
  const found = hinted.map(({ id, hint }) => {
    const ends = parseHint(hint);
    const fitting = ends && keys.filter(([one]) => one && fitsHint(one, ends));
    const isUnclear = fitting?.length === 0 && lost.some((one) => ends !== null && mayFit(one, ends));
    return { id, keys: isUnclear ? null : fitting };
  });
  const claimants = new Map<readonly HeldKey[], string[]>();
  for (const { id, keys: own } of found)
    for (const key of own ?? []) claimants.set(key, [...(claimants.get(key) ?? []), id]);
  const matchOf = (own: readonly (readonly HeldKey[])[] | null): KeyMatch => {
    if (!own) return { is: 'unknown' };
    if (own.length === 0) return { is: 'none' };
    const heldIds = own.flat().map(({ id }) => id);
    const hintedIds = [...new Set(own.flatMap((key) => claimants.get(key) ?? []))];
    return own.length === 1 && hintedIds.length === 1 ? { is: 'one', heldIds } : { is: 'several', heldIds, hintedIds };
  };
  return new Map(found.map(({ id, keys: own }) => [id, matchOf(own)]));
}

/** One key may be held under several ids. */
function keyIdentity({ id, key, fingerprint }: HeldKey): string {
  return fingerprint ?? key ?? id;
}

function parseHint(hint: string | null): KeyEnds | null {
  const [, head, tail] = HINT.exec(hint ?? '') ?? [];
  return head && tail && head.length + tail.length >= SHOWN_CHARACTERS_MIN ? { head, tail } : null;
}

function fitsHint({ key, ends }: HeldKey, { head, tail }: KeyEnds): boolean {
  if (key !== null) return key.length > head.length + tail.length && key.startsWith(head) && key.endsWith(tail);
  if (ends === null) return false;
  const isHead = ends.head.startsWith(head) || head.startsWith(ends.head);
  return isHead && (ends.tail.endsWith(tail) || tail.endsWith(ends.tail));
}

/** Tests a key with only its last four characters kept. */
function mayFit({ lastFour }: HeldKey, { tail }: KeyEnds): boolean {
  return lastFour === null || tail.endsWith(lastFour);
}
