/**
 * Which provider key is meant by a key of an organization's report. The provider shows a key's first and last
 * characters; a stored key that begins and ends so is it. Keys come in, only ids go out.
 */

/** A provider key behind wrapped keys of any workspace. */
interface HeldKey {
  readonly id: string;
  /** In clear; null = it was erased, and calls of its time are still in the book. */
  readonly key: string | null;
  /** Kept of one that was erased. */
  readonly lastFour: string | null;
}

/** A provider key with all wrapped keys, of any workspace, that stand or stood for it. */
export interface HeldProviderKey extends HeldKey {
  readonly wrappedKeyIds: readonly string[];
  /** Before, another key may have stood in its place. */
  readonly heldSince: number;
}

/** A key as a report knows it. */
interface HintedKey {
  readonly id: string;
  /** `sk-ant-api03-R2D...igAA`; null = the provider does not show it. */
  readonly hint: string | null;
}

/**
 * - `none`     no held key begins and ends so: it never was wrapped, as far as held keys tell
 * - `one`      one key, held under one id or several
 * - `several`  different held keys, or different keys of the report, look alike: which is meant is not known
 * - `unknown`  the hint is missing or says too little, or could be of a key that was erased
 */
export type KeyMatch =
  | { readonly is: 'none' | 'unknown' }
  | { readonly is: 'one'; readonly heldIds: readonly string[] }
  | { readonly is: 'several'; readonly heldIds: readonly string[]; readonly hintedIds: readonly string[] };

/** Fewer shown characters than this would fit any key of the provider. */
const SHOWN_CHARACTERS_MIN = 8;
const HINT = /^([^.…*]+)(?:\.{3,}|…|\*{2,})([^.…*]+)$/;

interface Ends {
  readonly head: string;
  readonly tail: string;
}

/** By the report's id of each key. All keys of one provider are to be given together, or lookalikes go unseen. */
export function matchProviderKeys(hinted: readonly HintedKey[], held: readonly HeldKey[]): Map<string, KeyMatch> {
  const idsOfKey = new Map<string, string[]>();
  const erased = held.filter(({ key }) => key === null);
  for (const { id, key } of held) if (key) idsOfKey.set(key, [...(idsOfKey.get(key) ?? []), id]);
  const found = hinted.map(({ id, hint }) => {
    const ends = endsOf(hint);
    const keys = ends && [...idsOfKey.keys()].filter((key) => isBetween(key, ends));
    const isUnclear = keys?.length === 0 && erased.some(({ lastFour }) => lastFour && ends?.tail.endsWith(lastFour));
    return { id, keys: isUnclear ? null : keys };
  });
  const claimants = new Map<string, string[]>();
  for (const { id, keys } of found)
    for (const key of keys ?? []) claimants.set(key, [...(claimants.get(key) ?? []), id]);
  const matchOf = (keys: readonly string[] | null): KeyMatch => {
    if (!keys) return { is: 'unknown' };
    if (keys.length === 0) return { is: 'none' };
    const heldIds = keys.flatMap((key) => idsOfKey.get(key) ?? []);
    const hintedIds = [...new Set(keys.flatMap((key) => claimants.get(key) ?? []))];
    return keys.length === 1 && hintedIds.length === 1 ? { is: 'one', heldIds } : { is: 'several', heldIds, hintedIds };
  };
  return new Map(found.map(({ id, keys }) => [id, matchOf(keys)]));
}

function endsOf(hint: string | null): Ends | null {
  const [, head, tail] = HINT.exec(hint ?? '') ?? [];
  return head && tail && head.length + tail.length >= SHOWN_CHARACTERS_MIN ? { head, tail } : null;
}

function isBetween(key: string, { head, tail }: Ends): boolean {
  return key.length > head.length + tail.length && key.startsWith(head) && key.endsWith(tail);
}
