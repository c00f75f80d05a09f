/**
 * Reads a value that somebody wrote for a record. A value that equals the stored one stays, unread: a maximum that has
 * fallen since it was stored binds new and changed values alone, so that the record's other fields can still be edited.
 *
 * @param stored undefined = there is no record yet
 * @param shown the stored value as people write it, where that is another form
 */
export function unlessUnchanged<Value>(
  stored: Value | undefined,
  written: unknown,
  read: () => Value,
  shown: unknown = stored,
): Value {
  return stored !== undefined && JSON.stringify(written) === JSON.stringify(shown) ? stored : read();
}
