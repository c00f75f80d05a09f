/** What tells the members of a JSON text apart; numbers, words and white space are between. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]/g;

/** An object or array that is open. */
interface OpenContainer {
  /** Of the members so far; null = an array. */
  readonly names: Set<string> | null;
  /** Name or index of what is read. */
  at: string | number;
}

/**
 * The first member whose object has another one of its name, as a path: `limits.0.unit`; null = there is none.
 * @param json a text that `JSON.parse` takes; that would keep the last of such members without a word
 */
export function findRepeatedMember(json: string): string | null {
  const open: OpenContainer[] = [];
  let text = '';
  for (const [token] of json.matchAll(TOKENS)) {
    const around = open.at(-1);
    if (token === '{') open.push({ names: new Set(), at: '' });
    else if (token === '[') open.push({ names: null, at: 0 });
    else if (token === '}' || token === ']') open.pop();
    else if (token === ',' && typeof around?.at === 'number') around.at += 1;
    else if (token === ':' && around?.names) {
      around.at = String(JSON.parse(text));
      if (around.names.has(around.at)) return open.map(({ at }) => at).join('.');
      around.names.add(around.at);
    } else text = token;
  }
  return null;
}
