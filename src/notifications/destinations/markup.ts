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
