/** Separates the values of a parameter that the address repeats. */
const SEPARATOR = '\u001F';

export function splitValues(text: string | undefined): readonly string[] {
  return text === undefined || text === '' ? [] : text.split(SEPARATOR);
}

/** Joins values for one parameter; undefined removes it. */
export function joinValues(values: readonly string[]): string | undefined {
  return values.length === 0 ? undefined : values.join(SEPARATOR);
}
