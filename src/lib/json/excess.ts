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
