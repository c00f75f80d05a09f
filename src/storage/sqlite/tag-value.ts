/** The SQL function `tag_value(tags, key)`: the value of a tag in a stored tag set, or null. */
export function tagValue(tags: unknown, key: unknown): string | null {
  const set = JSON.parse(String(tags)) as Record<string, string>;
  const name = String(key);
  return Object.hasOwn(set, name) ? (set[name] ?? null) : null;
}
