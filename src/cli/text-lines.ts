/** Whole words, in as many lines of at most 74 characters as it takes. */
export function textLines(text: string): string[] {
  return text.match(/\S.{0,72}\S(?=\s|$)|\S+/g) ?? [];
}
