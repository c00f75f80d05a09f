/** JSON with its members in order and as often as they stand there: what each kind of reader makes of it can be asked. */
export type Json =
  | { readonly kind: 'object'; readonly members: readonly (readonly [name: string, value: Json])[] }
  | { readonly kind: 'list'; readonly items: readonly Json[] }
  | { readonly kind: 'scalar'; readonly value: string | number | boolean | null };

/** Reads valid JSON. The values of scalars and names are those of `JSON.parse`. */
export function parseTree(text: string): Json {
  const reader = new TreeReader(text);
  return reader.value();
}

const SPACE = /\s*/y;
const SCALAR = /"(?:[^"\\]|\\.)*"|[^\s,:[\]{}]+/y;

class TreeReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(): Json {
    this.#take(SPACE);
    const first = this.#text[this.#at];
    if (first === '{') return { kind: 'object', members: this.#all('}', () => this.#member()) };
    if (first === '[') return { kind: 'list', items: this.#all(']', () => this.value()) };
    return { kind: 'scalar', value: this.#scalar() };
  }

  #member(): readonly [string, Json] {
    this.#take(SPACE);
    const name = String(this.#scalar());
    this.#take(SPACE);
    this.#at++;
    return [name, this.value()];
  }

  #all<T>(close: string, read: () => T): T[] {
    const all: T[] = [];
    this.#at++;
    this.#take(SPACE);
    if (this.#text[this.#at] === close) {
      this.#at++;
      return all;
    }
    for (;;) {
      all.push(read());
      this.#take(SPACE);
      if (this.#text[this.#at++] === close) return all;
    }
  }

  #scalar(): string | number | boolean | null {
    return JSON.parse(this.#take(SCALAR)) as string | number | boolean | null;
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? '';
    this.#at += found.length;
    return found;
  }
}
