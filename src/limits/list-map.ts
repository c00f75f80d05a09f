/** Lets `act` change the list under a key; a key without items is dropped. */
export function changeList<Key, T>(map: Map<Key, T[]>, key: Key, act: (list: T[]) => void): void {
  const list = map.get(key) ?? [];
  act(list);
  if (list.length > 0) map.set(key, list);
  else map.delete(key);
}
