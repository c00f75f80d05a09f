/**
 * Markdown as Discord and Teams read it, kept from being read: emphasis, code, links, mentions, emoji, Teams' date
 * functions, and at the beginning of a line headings, quotes and lists. Both take a backslash before any punctuation;
 * times of day are left as they are, for clients that show it.
 */
export function escapeMarkdown(text: string): string {
  return text
    .replace(/[\\`*_~|[\]{}<>@]|(?<!\d):(?=\S)|:(?!\d\d(?!\d))(?=\S)/g, String.raw`\$&`)
    .replace(/^([^\S\n]*)([-+#])/gm, String.raw`$1\$2`)
    .replace(/^([^\S\n]*\d+)([.)])/gm, String.raw`$1\$2`);
}

/**
 * For fields that are plain text by their documentation and still read as markup by some clients: a word joiner, which
 * is not seen, keeps `<` from opening a tag or a mention.
 */
export function breakTags(text: string): string {
  return text.replace(/<(?=\S)/g, '<\u2060');
}
