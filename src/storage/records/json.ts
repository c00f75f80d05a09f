/** Reads JSON that this service wrote itself; its shape is what the writer of that column put there. */
export function readJson<T>(text: string): T {
  return JSON.parse(text) as T;
}
