/**
 * Members to find, by name; `{}` = find it, `{ … }` = look into it too. `maxTokens|max_tokens` are two spellings of one
 * member, found under the first; they differ in case and underscores only.
 */
export interface ScanSpec {
  readonly [spellings: string]: ScanSpec;
}

export interface ScanNode {
  readonly members: readonly ScanMember[];
}

export interface ScanMember {
  /** Names from the top joined by dots, each in its first spelling. */
  readonly path: string;
  readonly spellings: readonly Uint8Array[];
  /** Lower case without underscores. A name that only folds to this is refused: readers might differ about it. */
  readonly folded: Uint8Array;
  readonly node: ScanNode;
}

/** A name that is noted wherever it stands, with any value but null and false, or with a text of a pattern (`word`, `word*`). */
export interface NotedName {
  readonly name: Uint8Array;
  readonly text: string;
  readonly values: readonly string[] | null;
}

export interface ScanPlan {
  readonly root: ScanNode;
  /** By length of the name in bytes. */
  readonly noted: readonly (readonly NotedName[] | undefined)[];
}

/**
 * @param members what to find
 * @param noted names to note anywhere in the document: with any value (null), or with a text that is, or with a star at the end begins like, one of these
 */
export function scanPlan(members: ScanSpec, noted: Readonly<Record<string, readonly string[] | null>>): ScanPlan {
  const byLength: NotedName[][] = [];
  for (const [text, values] of Object.entries(noted)) {
    const name = new TextEncoder().encode(text);
    (byLength[name.length] ??= []).push({ name, text, values });
  }
  return { root: compile(members, ''), noted: byLength };
}

function compile(spec: ScanSpec, parent: string): ScanNode {
  const encoder = new TextEncoder();
  const members = Object.entries(spec).map(([names, inner]) => {
    const spellings = names.split('|');
    const path = `${parent}${spellings[0]}`;
    return {
      path,
      spellings: spellings.map((name) => encoder.encode(name)),
      folded: encoder.encode(fold(spellings[0] ?? '')),
      node: compile(inner, `${path}.`),
    };
  });
  return { members };
}

function fold(name: string): string {
  return name.toLowerCase().replaceAll('_', '');
}
