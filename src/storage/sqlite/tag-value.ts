/** SQL for the value of a tag in a stored tag set, null when it is not there. `key` is SQL too: a named parameter. */
export function tagValue(tags: string, key: string): string {
  return `(SELECT value FROM json_each(${tags}) WHERE key = ${key})`;
}
