const ELLIPSIS = '…';
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * The longest beginning of a text that is at most `lengthMax` UTF-16 units long once it is rendered, with an ellipsis
 * where something is missing. What a reader sees as one character is never torn, nor what `render` makes of it.
 * @param render for instance an escape; never shortens a text
 */
export function cut(text: string, lengthMax: number, render: (text: string) => string = (same) => same): string {
  if (text.length <= lengthMax) {
    const whole = render(text);
    if (whole.length <= lengthMax) return whole;
  }
  const ends: number[] = [];
  for (const { index } of graphemes.segment(text)) {
    if (index >= lengthMax) break;
    ends.push(index);
  }
  const beginning = (count: number): string => render(text.slice(0, ends[count]).trimEnd() + ELLIPSIS);
  let [fits, tooMany] = [0, ends.length];
  while (tooMany - fits > 1) {
    const count = (fits + tooMany) >> 1;
    if (beginning(count).length <= lengthMax) fits = count;
    else tooMany = count;
  }
  return beginning(fits);
}

/**
 * Escapes text for every receiver that reads Markdown (CommonMark, Discord, Teams): emphasis, code, links, entities,
 * mentions, emoji, Teams' date functions, and at the beginning of a line headings, quotes, lists and underlines. All take
 * a backslash before any punctuation; times of day keep their colon, for clients that show the backslash.
 */
export function escapeMarkdown(text: string): string {
  return text
    .replace(/[\\`*_~|[\]{}<>@]|&(?=#?\w+;)|(?<=\bwww)\.|(?<!\d):(?=\S)|:(?!\d\d(?!\d))(?=\S)/gi, String.raw`\$&`)
    .replace(/^([^\S\n]*)([-+#=])/gm, String.raw`$1\$2`)
    .replace(/^([^\S\n]*\d+)([.)])/gm, String.raw`$1\$2`);
}

/**
 * For fields that are plain text by their documentation and still read as markup by some clients: a word joiner, which
 * is not seen, keeps `<` from opening a tag or a mention.
 */
export function breakTags(text: string): string {
  return text.replace(/<(?=\S)/g, '<\u2060');
}
