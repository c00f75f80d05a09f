/** Letters that are written from right to left, and characters without a look that turn what stands around them. */
const TURNS =
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u200e\u200f\u202a-\u202e\u2066-\u2069\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
/** Those that turn all that follows them. */
const TURNERS = /[\u202a-\u202e\u2066-\u2069]/gu;
const [BEGIN, END] = ['\u2068', '\u2069'];
/** What a sentence of the service says in somebody else's words: what it quotes, and values of tags. */
const OTHERS_WORDS = /(?<=")[^"]+(?=")|(?<==)[^\s"),;]+/gu;

/** A name or a value as it may stand in a sentence: whatever way it is written, it turns nothing around it. */
export function isolated(text: string): string {
  return TURNS.test(text) ? `${BEGIN}${text.replace(TURNERS, '')}${END}` : text;
}

/** A sentence of the service, whose quotations turn nothing around them. */
export function isolatedQuotes(sentence: string): string {
  return TURNS.test(sentence) ? sentence.replace(TURNERS, '').replace(OTHERS_WORDS, isolated) : sentence;
}
