/** Something that must always hold does not. */
export class Violation extends Error {
  override readonly name = 'Violation';
}

export function must(holds: boolean, sentence: () => string): asserts holds {
  if (!holds) throw new Violation(sentence());
}
