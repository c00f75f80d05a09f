const BEYOND_ASCII = /[^\0-\x7f]/g;

/** JSON in ASCII alone, which is several times faster to read as text. */
export function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(BEYOND_ASCII, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
