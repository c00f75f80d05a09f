/**
 * Reads a value for a record. A value equal to the stored one is kept without reading it, so that a lowered maximum
 * never prevents edits of other fields.
 *
 * @param stored undefined = no record yet
 * @param shown the stored value in the form that people write, if that differs
 */
export function unlessUnchanged<Value>(
  stored: Value | undefined,
  written: unknown,
  read: () => Value,
  shown: unknown = stored,
): Value {
  return stored !== undefined && JSON.stringify(written) === JSON.stringify(shown) ? stored : read();
}
