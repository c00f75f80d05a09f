const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

export interface JsonMaxima {
  /** Containers within one another. */
  readonly depth: number;
  /** Members of one object, or items of one array. */
  readonly members: number;
}

/**
 * Returns what a JSON text has too much of; null = nothing. Reads each character once and builds no values. For a text
 * that is not JSON the result has no meaning.
 */
export function findJsonExcess(json: string, { depth, members }: JsonMaxima): keyof JsonMaxima | null {
  /** Commas in each open container. */
  const commas: number[] = [];
  for (let at = 0; at < json.length; at += 1) {
    const char = json.charCodeAt(at);
    if (char === QUOTE) at = textEnd(json, at);
    else if (char === OPEN_ARRAY || char === OPEN_OBJECT) {
      if (commas.push(0) > depth) return 'depth';
    } else if (char === CLOSE_ARRAY || char === CLOSE_OBJECT) commas.pop();
    else if (char === COMMA && commas.length > 0) {
      const seen = (commas.pop() ?? 0) + 1;
      if (seen >= members) return 'members';
      commas.push(seen);
    }
  }
  return null;
}

/** Returns the index of the closing quote of the text that begins at `start`. */
function textEnd(json: string, start: number): number {
  for (let at = json.indexOf('"', start + 1); at >= 0; at = json.indexOf('"', at + 1)) {
    let before = at - 1;
    while (json.charCodeAt(before) === BACKSLASH) before -= 1;
    if ((at - before) % 2 === 1) return at;
  }
  return json.length;
}

/** Tokens that separate members of a JSON text. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]/g;

/** An object or array that is open. */
interface OpenContainer {
  /** Names of the members so far; null = an array. */
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
