/** Requested form of a member: text, count, `true`, or the same in every text. */
type MemberAsk = 'text' | 'count' | 'truth' | 'same';

/** Members by their path, with a dot before each name; elements of a list are at the path of the list. */
export type MemberAsks = ReadonlyMap<string, MemberAsk>;

/** Pattern of texts with the same members in the same order. */
export interface JsonForm {
  readonly pattern: RegExp;
  /** The group that holds each member that is asked for. */
  readonly groups: ReadonlyMap<string, number>;
}

const TOKEN = /(?<name>"(?:[^"\\]|\\.)*"):|(?<value>"(?:[^"\\]|\\.)*"|[^"{}[\],]+)|[{}[\],]/gs;
const SPECIAL = /[\\^$.*+?()[\]{}|/]/g;
/** A string without escapes, or a word. Of texts only what is ASCII is given; null gives none. */
const PATTERNS = {
  text: String.raw`(?:null|"([ !#-[\]-\x7f]*)")`,
  count: String.raw`(\d{1,15})`,
  truth: String.raw`(?:(true)|false)`,
  any: String.raw`(?:"[^"\\]*"|[^"{}[\],]+)`,
} as const;

/**
 * The form of a text that a program writes again and again. A pattern reads the next one several times faster than what
 * follows its brackets and quotes, and is at its full speed from the second on.
 *
 * @param text JSON without blanks, or how it begins
 * @param rest form of what follows, which ends with the text
 * @returns null = a member that is asked for comes twice
 */
export function deriveForms(texts: readonly string[], asks: MemberAsks): JsonForm[] | null {
  const seen = new Set<string>();
  const around: string[] = [];
  let path = '';
  const forms: JsonForm[] = [];
  for (const text of texts) {
    const groups = new Map<string, number>();
    let source = '^';
    for (const { 0: token, groups: { name, value } = {} } of text.matchAll(TOKEN)) {
      if (name !== undefined) path = `${around.at(-1) ?? ''}.${name.slice(1, -1)}`;
      else if (token === '{' || token === '[') around.push(path);
      else if (token === '}' || token === ']') path = around.pop() ?? '';
      const ask = value === undefined ? 'same' : asks.get(path);
      source += ask === 'same' ? token.replace(SPECIAL, String.raw`\$&`) : PATTERNS[ask ?? 'any'];
      if (ask === undefined || ask === 'same') continue;
      if (seen.has(path)) return null;
      seen.add(path);
      groups.set(path, groups.size + 1);
    }
    forms.push({ pattern: new RegExp(around.length === 0 ? `${source}$` : source), groups });
  }
  return forms;
}
