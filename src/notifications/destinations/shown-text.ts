const ELLIPSIS = '…';
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * Shortens a text so that it has at most `lengthMax` UTF-16 units after rendering, and marks the cut with an ellipsis.
 * It never splits a character as a reader sees it, or the escape that `render` makes of it.
 * @param render for example an escape function; never shortens a text
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
 * Escapes text for receivers that read Markdown (CommonMark, Discord, Teams): emphasis, code, links, entities, mentions,
 * emoji, Teams date functions, and headings, quotes, lists and underlines at the start of a line. All accept a backslash
 * before any punctuation. Times of day keep their colon, because some clients show the backslash.
 */
export function escapeMarkdown(text: string): string {
  return text
    .replace(/[\\`*_~|[\]{}<>@]|&(?=#?\w+;)|(?<=\bwww)\.|(?<!\d):(?=\S)|:(?!\d\d(?!\d))(?=\S)/gi, String.raw`\$&`)
    .replace(/^([^\S\n]*)([-+#=])/gm, String.raw`$1\$2`)
    .replace(/^([^\S\n]*\d+)([.)])/gm, String.raw`$1\$2`);
}

/**
 * Inserts an invisible word joiner after `<`, so that it does not open a tag or a mention. Some clients read markup in
 * fields that are documented as plain text.
 */
export function breakTags(text: string): string {
  return text.replace(/<(?=\S)/g, '<\u2060');
}
