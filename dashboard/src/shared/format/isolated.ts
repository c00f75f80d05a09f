/** Right-to-left letters, and invisible characters that change the direction of text. */
const TURNS =
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u200e\u200f\u202a-\u202e\u2066-\u2069\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
/** Characters that change the direction of all following text. */
const TURNERS = /[\u202a-\u202e\u2066-\u2069]/gu;
const [BEGIN, END] = ['\u2068', '\u2069'];
/** Foreign text within a sentence of the service: quotations and tag values. */
const OTHERS_WORDS = /(?<=")[^"]+(?=")|(?<==)[^\s"),;]+/gu;

/** Isolates a name or value, so its writing direction does not affect the text around it. */
export function isolated(text: string): string {
  return TURNS.test(text) ? `${BEGIN}${text.replace(TURNERS, '')}${END}` : text;
}

/** Isolates quotations and tag values within a sentence of the service. */
export function isolatedQuotes(sentence: string): string {
  return TURNS.test(sentence) ? sentence.replace(TURNERS, '').replace(OTHERS_WORDS, isolated) : sentence;
}
