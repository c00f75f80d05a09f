import type { HeldProviderKey } from './held-keys.ts';
import { matchProviderKeys } from './match-provider-keys.ts';

/**
 * Groups of reported keys and wrapped keys that may be the same key, on one UTC day. Usage is compared by group, so that
 * no call counts twice when the match is unclear.
 */
export interface KeyGroups {
  /** Group by reported key id; keys that are missing were never wrapped. */
  readonly ofReported: ReadonlyMap<string, string>;
  readonly ofWrapped: ReadonlyMap<string, string>;
  /** Groups whose share through the gateway is unknown. */
  readonly unsure: ReadonlySet<string>;
}

interface ReportedKey {
  readonly id: string;
  /** `sk-ant-api03-R2D...igAA`; null = the provider does not show it, or its list was not read yet. */
  readonly hint: string | null;
}

/** All keys that the report names, provider keys of all workspaces that were held on the day, and wrapped keys called. */
export function groupKeys(
  reported: readonly ReportedKey[],
  held: readonly HeldProviderKey[],
  called: readonly string[],
): KeyGroups {
  const wrappedOf = new Map(held.map(({ id, wrappedKeyIds }) => [id, wrappedKeyIds.map(wrappedName)]));
  const sets = new DisjointSets();
  for (const wrapped of wrappedOf.values()) sets.join(wrapped);
  const found = [...matchProviderKeys(reported, held)];
  const unknown = found.flatMap(([id, { is }]) => (is === 'unknown' ? [reportedName(id)] : []));
  const known = new Set<string>();
  for (const [id, match] of found)
    if (match.is === 'one' || match.is === 'several') {
      const wrapped = match.heldIds.flatMap((heldId) => wrappedOf.get(heldId) ?? []);
      sets.join([reportedName(id), ...wrapped]);
      for (const name of wrapped) known.add(name);
    }
  // Any of those may be a wrapped key whose key was not found in the report.
  const knownSets = new Set([...known].map((name) => sets.of(name)));
  const rest = called.map(wrappedName).filter((name) => !knownSets.has(sets.of(name)));
  if (unknown.length > 0) sets.join([...unknown, ...rest]);
  const unsure = found.filter(([, { is }]) => is === 'several' || is === 'unknown');
  return {
    ofReported: new Map(found.filter(([, { is }]) => is !== 'none').map(([id]) => [id, sets.of(reportedName(id))])),
    ofWrapped: new Map(called.map((id) => [id, sets.of(wrappedName(id))])),
    unsure: new Set(unsure.map(([id]) => sets.of(reportedName(id)))),
  };
}

function reportedName(id: string): string {
  return `r ${id}`;
}

function wrappedName(id: string): string {
  return `w ${id}`;
}

/** Sets that grow together; each is known by one of its members. */
class DisjointSets {
  readonly #parents = new Map<string, string>();

  of(member: string): string {
    let root = member;
    for (let next = this.#parents.get(root); next !== undefined; next = this.#parents.get(root)) root = next;
    if (root !== member) this.#parents.set(member, root);
    return root;
  }

  join([first, ...others]: readonly string[]): void {
    for (const other of others) {
      const [root, joined] = [this.of(first ?? other), this.of(other)];
      if (root !== joined) this.#parents.set(joined, root);
    }
  }
}
