/** SQL that differs between engines. All other SQL of this folder is the same for each of them. */
export interface Dialect {
  /** Returns the value of a tag in a stored tag set; null if it has none. `key` is SQL too: a named parameter. */
  tagValue(tags: string, key: string): string;
  /** Returns the last characters of a text. */
  ending(text: string, length: number): string;
  /** Reads an integer so that one above 2^53 is text; a smaller one may be a number. */
  exactInteger(column: string): string;
  /** Names the index by which a table is to be read; '' = the planner finds it. */
  indexedBy(index: string): string;
  /** Joins entries `e` that are read for each row of the left side, whose order stays. */
  joinEntries(condition: string, index?: string): string;
  /** Waits until no other transaction changes records; null = none can. */
  readonly lockRecords: string | null;
  /** Says whose calls the rest of the transaction counts (`?`: id of the journal); null = one node has all limits. */
  readonly nameNode: string | null;
}

/** Returns a function that builds SQL once for each dialect. */
export function perDialect<Texts>(build: (dialect: Dialect) => Texts): (dialect: Dialect) => Texts {
  const built = new WeakMap<Dialect, { readonly texts: Texts }>();
  return (dialect) => {
    let known = built.get(dialect);
    if (!known) built.set(dialect, (known = { texts: build(dialect) }));
    return known.texts;
  };
}
